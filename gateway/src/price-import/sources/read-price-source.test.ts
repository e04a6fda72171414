import { describe, expect, test } from 'vitest';
import { readPriceSource, recogniseSource } from './read-price-source.ts';
import { findSourceModel, type SourceKind, type SourceModel } from './source-model.ts';

const genai = `[
  { "id": "x-ai", "models": [
    { "id": "grok-9", "match": { "or": [{ "equals": "grok-9" }, { "starts_with": "grok-9-" }] },
      "context_window": 500000,
      "prices": {
        "input_mtok": { "base": 2, "tiers": [{ "start": 199999, "price": 4 }] },
        "output_mtok": { "base": 6, "tiers": [{ "start": 199999, "price": 12 }] },
        "web_searches_kcount": 5, "requests_kcount": 1.5, "audio_hours": 3 } },
    { "id": "later", "match": { "equals": "later" },
      "prices": [
        { "prices": { "input_mtok": 0.75 } },
        { "constraint": { "type": "start_date", "start_date": "2027-01-01" }, "prices": { "input_mtok": 1.5 } }] },
    { "id": "night", "match": { "equals": "night" },
      "prices": [
        { "prices": { "input_mtok": 1 } },
        { "constraint": { "type": "time_of_date", "start_time": "01:00:00Z", "end_time": "04:00:00Z" },
          "prices": { "input_mtok": 2 } }] },
    { "id": "peak", "match": { "equals": "peak" },
      "prices": [
        { "prices": { "input_mtok": 0.14 } },
        { "constraint": { "type": "start_date", "start_date": "2026-08-17" },
          "prices": { "input_mtok": { "base": 0.22, "tiers": [{ "start": 1000, "price": 0.33 }] }, "output_mtok": 0.66 } },
        { "constraint": { "type": "time_of_date", "start_time": "01:00:00Z", "end_time": "04:00:00Z" },
          "prices": { "input_mtok": { "base": 0.44, "tiers": [{ "start": 1000, "price": 0.66 }] }, "output_mtok": 1.32 } },
        { "constraint": { "start_time": "22:30:00Z", "end_time": "00:30:00Z" }, "prices": { "input_mtok": 0.11 } }] }
  ] }
]`;

const litellm = `{
  "sample_spec": { "input_cost_per_token": "a description" },
  "gpt-9": {
    "litellm_provider": "openai", "mode": "chat", "max_input_tokens": 272000, "max_output_tokens": 128000,
    "input_cost_per_token": 5e-06, "output_cost_per_token": 3e-05, "cache_read_input_token_cost": 5e-07,
    "cache_creation_input_token_cost": 6.25e-06, "cache_creation_input_token_cost_above_1hr": 1e-05,
    "input_cost_per_token_above_272k_tokens": 1e-05, "output_cost_per_token_above_272k_tokens": 4.5e-05,
    "input_cost_per_token_flex": 2.5e-06, "output_cost_per_token_flex": 1.5e-05,
    "input_cost_per_token_above_272k_tokens_flex": 5e-06, "output_cost_per_token_above_272k_tokens_flex": 2.25e-05,
    "input_cost_per_token_priority": 1e-05, "output_cost_per_token_priority": 6e-05,
    "input_cost_per_token_batches": 2.5e-06, "output_cost_per_token_batches": 1.5e-05,
    "search_context_cost_per_query": { "search_context_size_low": 0.01, "search_context_size_high": 0.01 },
    "supports_vision": true, "supports_function_calling": true, "supports_response_schema": true
  },
  "gemini/veo-9": {
    "litellm_provider": "gemini", "mode": "video_generation",
    "output_cost_per_second": 0.4, "output_cost_per_second_1080p": 0.6
  },
  "odd": { "litellm_provider": "openai", "input_cost_per_token": 2.9999999999999997e-07, "output_cost_per_token": 1e-6 }
}`;

const csv = `provider,model,component,price,context_above,tier,batch,from
acme,"big, one",input,1.25,,,,
acme,"big, one",output,10,,,,
acme,"big, one",input,2.5,200000,,,
acme,"big, one",input,0.625,,,true,
acme,"big, one",tool.web_search,10,,,,
acme,"big, one",input,3,,,,2027-01-01
`;

const entriesOf = (models: readonly SourceModel[], id: string): unknown =>
  models.find((model) => model.id === id)?.entries;

describe('genai-prices', () => {
  const models = readPriceSource(genai, 'genai-prices');

  test('tiers apply above their start, searches are per thousand, requests per call', () => {
    expect(entriesOf(models, 'grok-9')).toEqual([
      {
        ...{ input: '2', output: '6', request: '0.0015', tools: { web_search: '5' } },
        when: [{ context_above: 199_999, input: '4', output: '12' }],
      },
    ]);
    expect(models[0]?.facts.contextTokens).toBe(500_000);
    expect(models[0]?.notes).toEqual(['audio_hours: a price sheet has no such price']);
  });

  test('a model is found by its name or by what the source matches, under our name of the provider', () => {
    expect(findSourceModel(models, 'xai', 'grok-9-20270101')?.id).toBe('grok-9');
    expect(findSourceModel(models, 'xai', 'grok-90')).toBeNull();
    expect(findSourceModel(models, 'openai', 'grok-9')).toBeNull();
  });

  test('dates become dated entries, and times of day rules of the date that they follow', () => {
    expect(entriesOf(models, 'later')).toEqual([
      { input: '0.75' },
      { from: '2027-01-01T00:00:00Z', input: '1.5' },
    ]);
    expect(entriesOf(models, 'night')).toEqual([
      { input: '1', when: [{ hours: { from: '01:00', to: '04:00' }, input: '2' }] },
    ]);
    expect(models[2]?.notes.join()).toMatch(/time of day; the source does not say on which days/);
    const peak = { from: '01:00', to: '04:00' };
    expect(entriesOf(models, 'peak')).toEqual([
      { input: '0.14' },
      {
        ...{ from: '2026-08-17T00:00:00Z', input: '0.22', output: '0.66' },
        when: [
          { context_above: 1_000, input: '0.33' },
          { hours: peak, input: '0.44', output: '1.32' },
          // It has no price for long prompts, so it keeps its distance from the usual one.
          { hours: { from: '22:30', to: '00:30' }, factors: { input: '0.5' } },
          { hours: peak, context_above: 1_000, input: '0.66' },
        ],
      },
    ]);
  });

  test('the script of the npm package is read as data, and nothing of it is run', () => {
    const script = `const E = [{ id: "a", flag: !0, models: [{ id: 'm', description: \`two
lines\`, match: { equals: "m" }, context_window: 2e5, prices: { input_mtok: .075, } }] }], J = run(); throw 1;`;
    expect(recogniseSource(script)).toBe('genai-prices');
    expect(readPriceSource(script, 'genai-prices')).toMatchObject([
      { id: 'm', entries: [{ input: '0.075' }], facts: { contextTokens: 200_000 } },
    ]);
  });
});

describe('LiteLLM', () => {
  const models = readPriceSource(litellm, 'litellm');

  test('prices per token become prices per million, exactly; combinations of tier and length stay', () => {
    expect(entriesOf(models, 'gpt-9')).toEqual([
      {
        ...{ input: '5', cached_input: '0.5', cache_write: '6.25', cache_write_1h: '10', output: '30' },
        tools: { web_search: '10' },
        when: [
          { context_above: 272_000, input: '10', output: '45' },
          { tier: 'flex', input: '2.5', output: '15' },
          { tier: 'priority', factors: { input: '2', output: '2' } },
          { batch: true, factors: { input: '0.5', output: '0.5' } },
          { context_above: 272_000, tier: 'flex', input: '5', output: '22.5' },
        ],
      },
    ]);
    expect(models[0]?.facts).toEqual({
      ...{ contextTokens: 272_000, outputTokensMax: 128_000 },
      capabilities: ['vision', 'tools', 'json_mode', 'json_schema', 'streaming'],
    });
  });

  test('what a model takes in a request is read as far as the source says it', () => {
    const [said, silent] = readPriceSource(
      '{ "a": { "litellm_provider": "openai", "input_cost_per_token": 3e-07, "supports_sampling_params": false,' +
        ' "supports_xhigh_reasoning_effort": true }, "b": { "litellm_provider": "openai", "input_cost_per_token": 3e-07 } }',
      'litellm',
    );
    expect(said?.facts.takes).toEqual({ sampling: false, efforts: { xhigh: true } });
    expect(silent?.facts).not.toHaveProperty('takes');
  });

  test('prices for quiet hours are not read, and said', () => {
    const [model] = readPriceSource(
      '{ "deepseek/m": { "litellm_provider": "deepseek", "input_cost_per_token": 3e-07, "off_peak_pricing": { "hours_utc": "10:00-01:00" } } }',
      'litellm',
    );
    expect([model?.entries, model?.notes.join()]).toEqual([
      [{ input: '0.3' }],
      expect.stringMatching(/^off_peak_pricing: is not read/),
    ]);
  });

  test('videos have prices by resolution', () => {
    expect(findSourceModel(models, 'google', 'veo-9')?.entries).toEqual([
      { per_second: { default: '0.4', '1080p': '0.6' } },
    ]);
  });

  test('a price that would have to be rounded is left out and said', () => {
    expect(entriesOf(models, 'odd')).toEqual([{ output: '1' }]);
    expect(models.at(-1)?.notes).toEqual(['input_cost_per_token: needs more than 12 places']);
  });
});

test('CSV has a row for each price, with its conditions and its date', () => {
  expect(recogniseSource(csv)).toBe('csv');
  expect(entriesOf(readPriceSource(csv, 'csv'), 'big, one')).toEqual([
    {
      ...{ input: '1.25', output: '10', tools: { web_search: '10' } },
      when: [
        { context_above: 200_000, input: '2.5' },
        { batch: true, factors: { input: '0.5' } },
      ],
    },
    { from: '2027-01-01T00:00:00Z', input: '3' },
  ]);
});

test('CSV has hours and days', () => {
  const rows = ['input,1,,', 'input,2,16:30-00:30,', 'input,3,01:00-04:00,mon tue'].map(
    (row) => `a,m,${row}`,
  );
  const [model] = readPriceSource(`provider,model,component,price,hours,days\n${rows.join('\n')}`, 'csv');
  expect(model?.entries).toEqual([
    {
      input: '1',
      when: [
        { hours: { from: '16:30', to: '00:30' }, input: '2' },
        { hours: { from: '01:00', to: '04:00', days: ['mon', 'tue'] }, input: '3' },
      ],
    },
  ]);
});

test('a price of a tier becomes a factor beside prices by the hour', () => {
  const rows = ['input,2,,', 'input,4,01:00-04:00,', 'input,1,,flex'].map((row) => `a,m,${row}`);
  const [model] = readPriceSource(`provider,model,component,price,hours,tier\n${rows.join('\n')}`, 'csv');
  expect(model?.entries).toEqual([
    {
      input: '2',
      when: [
        { hours: { from: '01:00', to: '04:00' }, input: '4' },
        { tier: 'flex', factors: { input: '0.5' } },
      ],
    },
  ]);
});

test('a tier whose price for long prompts is unknown has no price at all', () => {
  const rows = ['input,3,,', 'input,6,200000,', 'input,10,,priority'].map((row) => `a,m,${row}`);
  const [model] = readPriceSource(
    `provider,model,component,price,context_above,tier\n${rows.join('\n')}`,
    'csv',
  );
  expect(model?.entries).toEqual([{ input: '3', when: [{ context_above: 200_000, input: '6' }] }]);
  expect(model?.notes.join()).toMatch(/^tier priority: /);
});

test.each<readonly [kind: SourceKind, text: string, message: string]>([
  ['genai-prices', '[{ "id": "a",\n "models" [] }]', 'line 2 needs ":" here'],
  ['genai-prices', '[{ "id": "a" }]', '[0] must have an id and models'],
  [
    'genai-prices',
    '[{"id":"a","models":[{"id":"m","prices":{"input_mtok":-1}}]}]',
    'a.models[0].prices.input_mtok must be a number that is not negative',
  ],
  [
    'genai-prices',
    '[{"id":"a","models":[{"id":"m","prices":[{"constraint":{"start_time":"01:00:30Z","end_time":"04:00:00Z"},"prices":{}}]}]}]',
    'a.models[0].prices[0].constraint.start_time must be a whole minute in UTC',
  ],
  ['litellm', '{ "m": { "a": 1, "a": 2 } }', 'line 1 has "a" twice'],
  ['litellm', '{ "m": 1 } x', 'line 1 goes on after its end'],
  [
    'litellm',
    '{ "m": { "litellm_provider": "p", "input_cost_per_token": "free" } }',
    'm.input_cost_per_token must be a number that is not negative',
  ],
  ['litellm', '[]', 'must be an object of models, as LiteLLM publishes it'],
  ['csv', 'provider,model,component\n', 'line 1 needs the column price'],
  ['csv', 'provider,model,component,price,colour\n', 'line 1 has the unknown column colour'],
  ['csv', 'provider,model,component,price\na,m,input\n', 'line 2: has 3 cells, but the header has 4'],
  ['csv', 'provider,model,component,price\na,m,song,1\n', 'line 2: component "song" is unknown'],
  ['csv', 'provider,model,component,price\n\na,m,input,-1\n', 'line 3: price must be a number'],
  [
    'csv',
    'provider,model,component,price,hours\na,m,input,1,1-4\n',
    'line 2: hours must be as in 16:30-00:30',
  ],
  [
    'csv',
    'provider,model,component,price,days\na,m,input,1,mon\n',
    'line 2: hours must be as in 16:30-00:30',
  ],
  ['csv', 'provider,model,component,price\na,m,"input,1\n', 'line 2: a quote is not closed'],
])('a bad %s file is rejected with the place: %#', (kind, text, message) => {
  expect(() => readPriceSource(text, kind)).toThrow(message);
});
