import { describe, expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { parseUnits, printUnits } from '../kernel/units.ts';
import { ConfigError } from '../yaml/config-error.ts';
import { readConfigFile } from './config-file.ts';

const good = `
providers:
  one: { dialect: openai, base_url: "https://one.example/v1/", api_key: "\${ONE_KEY:-}" }
  two: { dialect: openai, base_url: https://two.example, only_if: "\${TWO:-}" }
models:
  fast: { capabilities: [streaming], routes: [{ provider: one, model: fast-1, weight: 3 }] }
  rare: { routes: [{ provider: two, model: rare-1 }] }
  both: { spaces: [acme], routes: [{ provider: two, model: b }, { provider: one, model: b, priority: 2 }] }
prices:
  version: v1
  models:
    fast: { input: 0.1, output: 12345678901234567890.123456789012 }
`;

const read = (text: string, env: Record<string, string> = {}) =>
  readCatalog(readConfigFile(text, env), 1_700_000_000_000);

function refusal(text: string, env: Record<string, string> = {}): string {
  try {
    read(text, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('the file was taken');
}

describe('the configuration file', () => {
  test('prices keep every digit as written', () => {
    const price = read(good).models.get('fast')?.prices[0]?.price.tokens;
    expect(price?.output && printUnits(price.output)).toBe('12345678901234567890.123456789012');
    expect(price?.input && printUnits(price.input)).toBe('0.1');
  });

  test('an AWS profile is read for Bedrock', () => {
    const { providers } = read(
      good.replace('{ dialect: openai,', '{ dialect: bedrock, aws_profile: models,'),
    );
    expect(providers).toMatchObject([{ name: 'one', dialect: 'bedrock', awsProfile: 'models' }]);
  });

  test('an image has one price, or one for each size and quality', () => {
    const priced = (entry: string) =>
      read(good.replace('fast: { input', `fast: { per_image: ${entry}, input`)).models.get('fast')?.prices[0]
        ?.price.images;
    const shown = (prices: ReturnType<typeof priced>) =>
      [...(prices ?? [])].map(([kind, units]) => [kind, printUnits(units)]);
    expect(shown(priced('0.04'))).toEqual([['default', '0.04']]);
    expect(shown(priced('{ 1024x1024/low: 0.011, default: 0.042 }'))).toEqual([
      ['1024x1024/low', '0.011'],
      ['default', '0.042'],
    ]);
  });

  test('a merge key copies another entry, except for the keys set beside it', () => {
    const merged = `
providers:
  one: &shared { dialect: openai, base_url: 'https://one.example/v1', api_key: k1 }
  two: { <<: *shared, api_key: k2 }
models: { fast: { routes: [{ provider: two, model: m }] } }
`;
    expect(
      read(merged).providers.map(({ name, baseUrl, apiKey }) => [name, baseUrl, apiKey.reveal()]),
    ).toEqual([
      ['one', 'https://one.example/v1', 'k1'],
      ['two', 'https://one.example/v1', 'k2'],
    ]);
  });

  test('variables are expanded, with defaults, and an empty one counts as missing', () => {
    expect(read(good, { ONE_KEY: 'k' }).providers[0]?.apiKey.reveal()).toBe('k');
    expect(read(good, { ONE_KEY: '' }).providers[0]?.apiKey.reveal()).toBe('');
    expect(refusal(good.replace('${ONE_KEY:-}', '${ONE_KEY}'))).toMatch(
      /providers\.one\.api_key needs .* ONE_KEY/,
    );
  });

  test('a provider with an empty only_if is off, and so are models without another provider', () => {
    expect([...read(good).models.keys()]).toEqual(['fast', 'both']);
    expect(
      read(good)
        .models.get('both')
        ?.routes.map((route) => route.provider),
    ).toEqual(['one']);
    expect([...read(good, { TWO: 'yes' }).models.keys()]).toEqual(['fast', 'rare', 'both']);
  });

  test.each([
    ['an unknown key at the top', 'modles: {}', /unknown key modles: did you mean models\?/],
    [
      'an unknown key of a model',
      good.replace('capabilities:', 'capabilites:'),
      /models\.fast\.capabilites: did you mean capabilities\?/,
    ],
    [
      'an unknown capability',
      good.replace('[streaming]', '[sight]'),
      /models\.fast\.capabilities\[0\] must be one of/,
    ],
    [
      'an unknown provider',
      good.replace('provider: one, model: fast-1', 'provider: onne, model: x'),
      /did you mean one\?/,
    ],
    [
      'a price for no model',
      good.replace('    fast: { input', '    fsat: { input'),
      /prices\.models\.fsat.*did you mean fast\?/,
    ],
    ['a price with 13 places', good.replace('0.1,', '0.1234567890123,'), /prices\.models\.fast\.input/],
    ['a negative price', good.replace('0.1,', '-1,'), /prices\.models\.fast\.input/],
    [
      'a weight that is no number',
      good.replace('weight: 3', 'weight: many'),
      /models\.fast\.routes\[0\]\.weight must be an integer/,
    ],
    [
      'an address that is none',
      good.replace('https://two.example', 'two.example'),
      /providers\.two\.base_url/,
    ],
    [
      'an AWS profile for a dialect that has none',
      good
        .replace('two: { dialect: openai,', 'two: { dialect: openai, aws_profile: a,')
        .replace(', only_if: "${TWO:-}"', ''),
      /providers\.two\.aws_profile is only for the dialect bedrock/,
    ],
    [
      'an AWS profile beside a key',
      good
        .replace(
          '{ dialect: openai, base_url: "https',
          '{ dialect: bedrock, aws_profile: a, base_url: "https',
        )
        .replace(':-}', ':-key}'),
      /providers\.one\.aws_profile cannot be used together with api_key/,
    ],
    [
      'an image model that only some spaces see',
      good.replace('both: { spaces', 'both: { endpoints: [images], spaces'),
      /models\.both\.spaces: image models are visible to every space; remove spaces/,
    ],
    [
      'an image price that is no amount',
      good.replace('fast: { input', 'fast: { per_image: { low: cheap }, input'),
      /prices\.models\.fast\.per_image/,
    ],
    [
      'a batch model without batch prices',
      good.replace('fast: {', 'fast: { batch: true,'),
      /prices\.models\.fast needs batch_input and batch_output/,
    ],
    [
      'an image model that takes batches',
      good.replace('both: { spaces: [acme]', 'both: { endpoints: [images], batch: true'),
      /models\.both\.batch: batches are for chat, responses, embeddings only/,
    ],
    [
      'a tool that batches need of a model without batches',
      good.replace('fast: {', 'fast: { batch_requires: web_search,'),
      /models\.fast\.batch_requires is only for models of the endpoint responses with batch: true/,
    ],
    [
      'a batch engine that there is not',
      good.replace('fast: {', 'fast: { batch: elsewhere,'),
      /models\.fast\.batch/,
    ],
    [
      "batches of a provider's own where none of its providers has such",
      good
        .replaceAll(/dialect: [\w-]+/g, 'dialect: google')
        .replace('fast: {', 'fast: { batch: provider,')
        .replace('fast: { input', 'fast: { batch_input: 0.05, batch_output: 0.2, input'),
      /models\.fast\.batch: none of its providers runs batches itself .*; write own/,
    ],
    ['broken YAML', 'models: [', /not valid YAML/],
    ['an empty file', '', /providers is required/],
  ])('%s is rejected, naming the field', (_, text, message) => {
    expect(refusal(text)).toMatch(message);
  });

  test('supports_batch follows the entry, and batch prices are shown', () => {
    const catalog = read(
      good
        .replace('fast: {', 'fast: { batch: true,')
        .replace('fast: { input', 'fast: { batch_input: 0.05, batch_output: 0.2, input'),
    );
    const { data } = JSON.parse(catalog.listJson({ spaceName: 'acme', models: null }, 0)) as {
      data: Array<{ supports_batch: boolean; pricing: unknown }>;
    };
    expect(data.map((model) => model.supports_batch)).toEqual([true, false]);
    expect(data[0]?.pricing).toMatchObject({ batch_input: '0.05', batch_output: '0.2' });
  });

  test.each([
    ['true', true, 'own'],
    ['own', true, 'own'],
    ['provider', true, 'provider'],
    ['false', false, 'own'],
  ])('batch: %s', (batch, supportsBatch, batchEngine) => {
    const catalog = read(
      good
        .replace('fast: {', `fast: { batch: ${batch},`)
        .replace('fast: { input', 'fast: { batch_input: 0.05, batch_output: 0.2, input'),
    );
    expect(catalog.models.get('fast')).toMatchObject({ supportsBatch, batchEngine });
  });

  test('a model is visible only to the spaces it names', () => {
    const catalog = read(good);
    expect(catalog.list({ spaceName: 'acme', models: null }).map((model) => model.code)).toEqual([
      'fast',
      'both',
    ]);
    expect(catalog.list({ spaceName: 'other', models: null }).map((model) => model.code)).toEqual(['fast']);
    expect(() =>
      catalog.find('both', { user: { spaceName: 'other', models: null }, endpoint: 'chat' }),
    ).toThrow(/no model "both"/);
  });

  test('a model keeps the version its price was read with', () => {
    expect(read(good).models.get('fast')?.priceVersion).toBe('v1');
    expect(read(good.replace('version: v1', 'version: v2')).models.get('fast')?.priceVersion).toBe('v2');
  });
});

describe('price rules in the configuration file', () => {
  const sheet = (entry: string): string =>
    good.replace(/ {4}fast: \{ input.*\n/, entry.replaceAll(/^/gm, '    ').replaceAll(/ +$/gm, ''));

  test('are read, with dates, and the sheet keeps them as written', () => {
    const catalog = read(
      sheet(`fast:
  - input: 2
    output: 8
    tools: { web_search: 10 }
    when:
      - { context_above: 272000, factors: { input: 2, output: 1.5 } }
      - { tier: flex, factor: 0.5, cached_input: same }
      - { batch: true, input: 1, output: 4 }
  - { from: 2026-12-01T00:00:00+09:00, input: 3, output: 9 }
`),
    );
    const [first, second] = catalog.models.get('fast')?.prices ?? [];
    expect(first?.price.rules).toEqual([
      {
        contextAbove: 272_000,
        factors: { input: parseUnits('2'), output: parseUnits('1.5') },
        amounts: {},
        same: new Set(),
      },
      { tier: 'flex', factor: parseUnits('0.5'), amounts: {}, same: new Set(['cached_input']) },
      { batch: true, amounts: { input: parseUnits('1'), output: parseUnits('4') }, same: new Set() },
    ]);
    expect(second?.from).toBe(Date.parse('2026-11-30T15:00:00Z'));
    expect(JSON.stringify(catalog.priceSheet.models.fast)).toContain(
      '"context_above":272000,"factors":{"input":"2"',
    );
  });

  test('are listed with the prices that they lead to, and with the date of the next prices', () => {
    const text = sheet(`fast:
  - input: 2
    output: 8
    cached_input: 0.2
    when:
      - { context_above: 200000, factor: 2 }
      - { batch: true, factor: 0.5 }
  - { from: 2026-12-01T00:00:00Z, input: 3, output: 9 }
`);
    const shown = (now: string) =>
      JSON.parse(read(text).listJson({ spaceName: 'acme', models: null }, Date.parse(now))).data[0].pricing;
    expect(shown('2026-11-16T00:00:00Z')).toEqual({
      ...{ currency: 'unit', per: '1000000_tokens', input: '2', cached_input: '0.2', output: '8' },
      ...{ batch_input: '1', batch_output: '4', valid_until: '2026-12-01T00:00:00.000Z' },
      rules: [
        { context_above: 200_000, factor: '2', prices: { input: '4', cached_input: '0.4', output: '16' } },
        { batch: true, factor: '0.5', prices: { input: '1', cached_input: '0.1', output: '4' } },
      ],
    });
    expect(shown('2026-12-01T00:00:00Z')).toEqual({
      ...{ currency: 'unit', per: '1000000_tokens', input: '3', output: '9' },
    });
  });

  test('with hours are listed with their hours, whatever the time is, and may share the day without a base price', () => {
    const shown = (entry: string, now: string) =>
      JSON.parse(read(sheet(entry)).listJson({ spaceName: 'acme', models: null }, Date.parse(now))).data[0]
        .pricing;
    const peak = `fast:
  input: 2
  output: 8
  when:
    - { hours: { from: "01:00", to: "04:00", days: [mon, fri], except: [2027-01-01] }, factor: 2 }
    - { tier: flex, factor: 0.5 }
    - { tier: flex, hours: { from: "12:00", to: "14:00" }, input: 7 }
`;
    const hours = { from: '01:00', to: '04:00', days: ['mon', 'fri'], except: ['2027-01-01'] };
    for (const now of ['2026-11-16T00:00:00Z', '2026-11-16T02:00:00Z'])
      expect(shown(peak, now)).toEqual({
        ...{ currency: 'unit', per: '1000000_tokens', input: '2', output: '8' },
        rules: [
          { hours, factor: '2', prices: { input: '4', output: '16' } },
          { tier: 'flex', factor: '0.5', prices: { input: '1', output: '4' } },
          { tier: 'flex', hours: { from: '12:00', to: '14:00' }, prices: { input: '7', output: '4' } },
        ],
      });
    const shared = `fast:
  output: 8
  when:
    - { hours: { from: "16:30", to: "00:30" }, input: 1 }
    - { hours: { from: "00:30", to: "16:30" }, input: 2 }
`;
    expect(shown(shared, '2026-11-16T02:00:00Z')).toEqual({
      ...{ currency: 'unit', per: '1000000_tokens', output: '8' },
      rules: [
        { hours: { from: '16:30', to: '00:30' }, prices: { input: '1', output: '8' } },
        { hours: { from: '00:30', to: '16:30' }, prices: { input: '2', output: '8' } },
      ],
    });
  });

  test.each([
    [
      'an unknown component',
      'fast: { input: 1, inptu: 2 }',
      /unknown key prices\.models\.fast\.inptu: did you mean input\? \(line 12, column \d+\)/,
    ],
    [
      'a negative price',
      'fast:\n  input: 1\n  output: -3',
      /prices\.models\.fast\.output .*\(line 14, column \d+\)/,
    ],
    [
      'a negative factor',
      'fast:\n  when:\n    - { tier: flex, factor: -1 }',
      /when\[0\]\.factor .*\(line 14, column \d+\)/,
    ],
    [
      'two rules with the same conditions',
      'fast:\n  when:\n    - { tier: flex, factor: 1 }\n    - { tier: flex, input: 2 }',
      /when\[1\] has the same conditions as prices\.models\.fast\.when\[0\] \(line 15, column \d+\)/,
    ],
    [
      'two thresholds alike, one of them marginal',
      'fast:\n  when:\n    - { context_above: 5, factor: 1 }\n    - { context_above: 5, marginal: true, input: 2 }',
      /when\[1\] has the same conditions/,
    ],
    [
      'both ways to write a batch price',
      'fast: { batch_input: 1, when: [{ batch: true, factor: 0.5 }] }',
      /when\[0\] has the same conditions as prices\.models\.fast\.batch_input/,
    ],
    ['a rule without a condition', 'fast: { when: [{ factor: 2 }] }', /when\[0\] needs a condition/],
    ['a rule without a price', 'fast: { when: [{ tier: flex }] }', /when\[0\] has no price/],
    [
      'a price and a factor for one component',
      'fast: { when: [{ tier: flex, input: 1, factors: { input: 2 } }] }',
      /when\[0\]\.input has both a price and a factor/,
    ],
    [
      'same without a factor',
      'fast: { when: [{ tier: flex, input: same }] }',
      /when\[0\]\.input is same, but/,
    ],
    [
      'a marginal rule without a threshold',
      'fast: { when: [{ tier: flex, marginal: true, factor: 2 }] }',
      /marginal is only/,
    ],
    [
      'a marginal price for output',
      'fast: { when: [{ context_above: 9, marginal: true, output: 2 }] }',
      /output cannot be/,
    ],
    ['a date without a list', 'fast: { from: "2026-12-01T00:00:00Z", input: 1 }', /from needs a list/],
    ['a second entry without a date', 'fast: [{ input: 1 }, { input: 2 }]', /fast\[1\]\.from is required/],
    [
      'dates that do not rise',
      'fast:\n  - { from: 2026-12-01T00:00:00Z, input: 1 }\n  - { from: 2026-12-01T00:00:00Z, input: 2 }',
      /fast\[1\]\.from must be later .*\(line 14, column \d+\)/,
    ],
    [
      'a date that does not exist',
      'fast: [{ from: "2026-13-01T00:00:00Z", input: 1 }]',
      /from is not a date/,
    ],
    [
      'hours that are no time of day',
      'fast: { input: 1, when: [{ hours: { from: "25:00", to: "04:00" }, factor: 2 }] }',
      /when\[0\]\.hours\.from must be a time of day in UTC, such as 16:30/,
    ],
    [
      'a day of the week that does not exist',
      'fast: { input: 1, when: [{ hours: { from: "01:00", to: "04:00", days: [mo] }, factor: 2 }] }',
      /when\[0\]\.hours\.days\[0\]/,
    ],
    [
      'hours without a length',
      'fast: { input: 1, when: [{ hours: { from: "01:00", to: "01:00" }, factor: 2 }] }',
      /hours\.to must differ from from/,
    ],
    [
      'hours that are the whole day',
      'fast: { input: 1, when: [{ hours: { from: "00:00", to: "24:00" }, factor: 2 }] }',
      /hours is every hour of every day/,
    ],
    [
      'an excepted date that does not exist',
      'fast: { input: 1, when: [{ hours: { from: "01:00", to: "04:00", except: [2027-02-30] }, factor: 2 }] }',
      /hours\.except\[0\] is not a date/,
    ],
    [
      'hours that overlap',
      `fast:
  input: 1
  when:
    - { hours: { from: "22:00", to: "02:00" }, factor: 2 }
    - { hours: { from: "01:59", to: "04:00" }, factor: 3 }`,
      /when\[1\]\.hours overlaps 22:00-02:00 UTC of prices\.models\.fast\.when\[0\] \(line 16, column \d+\)/,
    ],
    [
      'hours that overlap on a day that only one of them names',
      `fast:
  input: 1
  when:
    - { hours: { from: "22:00", to: "02:00", days: [sun] }, factor: 2 }
    - { hours: { from: "01:00", to: "04:00", days: [mon] }, factor: 3 }`,
      /when\[1\]\.hours overlaps/,
    ],
    [
      'hours that leave a gap',
      `fast:
  when:
    - { hours: { from: "00:30", to: "16:30" }, input: 2 }
    - { hours: { from: "17:00", to: "00:30" }, input: 1 }`,
      /when\[0\]\.hours leaves 16:30 to 17:00 UTC without a price for input; .*\(line 14, column \d+\)/,
    ],
    [
      'hours that leave out days',
      `fast:
  when:
    - { hours: { from: "00:00", to: "24:00", days: [mon, tue, wed, thu, fri] }, input: 2 }
    - { hours: { from: "00:00", to: "24:00", days: [sat] }, input: 1 }`,
      /leaves sun 00:00 to 24:00 UTC without a price for input/,
    ],
    [
      'an excepted date without a price',
      `fast:
  when:
    - { hours: { from: "00:30", to: "16:30", except: [2027-01-01] }, input: 2 }
    - { hours: { from: "16:30", to: "00:30" }, input: 1 }`,
      /leaves 2027-01-01 00:30 to 16:30 UTC without a price for input/,
    ],
    [
      'a tier that has a price only in some hours',
      'fast: { input: 1, when: [{ tier: flex, hours: { from: "01:00", to: "04:00" }, factor: 2 }] }',
      /when\[0\]\.hours leaves 00:00 to 01:00 UTC without a price for input/,
    ],
    [
      'a tool that has a price only in some hours',
      'fast: { input: 1, when: [{ hours: { from: "01:00", to: "04:00" }, tools: { web_search: 2 } }] }',
      /without a price for tool\.web_search/,
    ],
    [
      'two prices for grounding',
      'fast: { tools: { google_search_query: 1, google_search_prompt: 2 } }',
      /tools\.google_search_query counts the same/,
    ],
  ])('are rejected with %s, naming the field and its line', (_, entry, message) => {
    const reason = refusal(sheet(`${entry}\n`));
    expect(reason).toMatch(message);
    expect(reason).toMatch(/ \(line \d+, column \d+\)$/);
    expect(reason).not.toMatch(/\\d|\^/);
  });
});
