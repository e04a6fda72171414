import { expect, test } from 'vitest';
import { readConfigFile } from '../config/config-file.ts';
import type { PriceEntry } from '../price-sheets/price-entry.ts';
import { checkSheet } from './check-sheet.ts';
import { type ComparedModel, comparePrices } from './compare-prices.ts';
import { type Merge, mergeEntries } from './merge-entries.ts';
import { readPriceSource } from './sources/read-price-source.ts';
import { writeSheet } from './write-sheet.ts';

const now = Date.parse('2026-11-16T00:00:00Z');
const origin = { asOf: '2026-11-15', source: 'our list' };
const config = `
providers:
  openai: { dialect: openai, base_url: https://api.openai.com/v1 }
  grok: { dialect: openai-compatible, base_url: https://api.x.ai/v1 }
models:
  gpt: { batch: provider, routes: [{ provider: openai, model: gpt-9 }] }
  grok: { routes: [{ provider: grok, model: grok-9 }] }
  claude: { capabilities: [web_search], routes: [{ provider: claude, model: claude-9 }] }
prices:
  version: "2026-10" # every month
  models:
    # The big one.
    gpt:
      input: 5
      output: 20 # too low
      when: [{ batch: true, factor: 0.5 }, { tier: flex, factor: 0.5 }]

    # The other one.
    claude: { input: 1, output: 2 }
# The end.
`.replace('models:\n  gpt', '  claude: { dialect: anthropic, base_url: https://a.example }\nmodels:\n  gpt');

const rows = `provider,model,component,price,context_above,batch,from
openai,gpt-9,input,5,,,
openai,gpt-9,output,30,,,
openai,gpt-9,input,10,272000,,
openai,gpt-9,input,2.5,,true,
openai,gpt-9,output,15,,true,
xai,grok-9,input,2,,,
xai,grok-9,output,6,,,
xai,grok-9,input,1,,,2026-01-01
xai,grok-9,output,6,,,2026-01-01
xai,grok-9,input,3,,,2027-01-01
`;

const compare = (text = config, csv = rows, also: string | null = null): ComparedModel[] =>
  comparePrices(readConfigFile(text, {}), {
    source: readPriceSource(csv, 'csv'),
    also: also === null ? null : readPriceSource(also, 'csv'),
    models: null,
    now,
  });

function written(text: string, csv: string, merge: Partial<Merge> = {}): string {
  const old = readConfigFile(text, {}).prices?.models ?? {};
  const models = compare(text, csv)
    .filter(({ entries }) => entries.length > 0)
    .map(({ model, entries }) => {
      return [model, mergeEntries(old[model], entries, { now, origin, from: null, ...merge })] as const;
    });
  return writeSheet(text, { version: '2026-11', models: new Map(models) });
}

const pricesIn = (text: string, model: string): unknown => readConfigFile(text, {}).prices?.models[model];

test('compares what is charged, not how it is written, now and later', () => {
  const shown = compare().flatMap(({ differences }) =>
    differences.map(({ model, what, state, old, new: price }) => `${model} ${what} ${state} ${old} ${price}`),
  );
  expect(shown).toEqual([
    'gpt input same 5 5',
    'gpt output changed 20 30',
    'gpt above 272000: input new null 10',
    'gpt batch: input same 2.5 2.5',
    'gpt batch: output changed 10 15',
    'gpt tier flex: input only_in_sheet 2.5 null',
    'gpt tier flex: output only_in_sheet 10 null',
    'grok input new null 1',
    'grok output new null 6',
    'grok from 2027-01-01T00:00:00Z, input new null 3',
  ]);
});

test('flags a price about which two sources disagree, with both amounts', () => {
  const second = rows.replace('openai,gpt-9,output,30', 'openai,gpt-9,output,28');
  const flagged = compare(config, rows, second).flatMap(({ differences }) =>
    differences.filter(({ state }) => state === 'sources_disagree'),
  );
  expect(flagged).toEqual([
    { model: 'gpt', what: 'output', state: 'sources_disagree', old: '20', new: '30', also: '28' },
  ]);
});

test('keeps rules that say the same, and puts prices by length before the factors that change them', () => {
  expect(pricesIn(written(config, rows), 'gpt')).toEqual({
    ...{ input: '5', output: '30' },
    when: [
      { context_above: 272_000, input: '10' },
      { batch: true, factor: '0.5' },
      { tier: 'flex', factor: '0.5' },
    ],
    ...{ as_of: '2026-11-15', source: 'our list' },
  });
});

test('changes only the version and the entries of the source; comments and all else stay', () => {
  const text = written(config, rows);
  for (const kept of [
    ' # every month\n',
    '    # The big one.\n',
    '\n\n    # The other one.\n',
    '\n# The end.\n',
  ])
    expect(text).toContain(kept);
  expect(text).toContain('    claude: { input: 1, output: 2 }\n    grok:\n');
  expect(text.slice(0, text.indexOf('prices:'))).toBe(config.slice(0, config.indexOf('prices:')));
  expect(written(text, rows)).toBe(text);
});

test('a batch price in the short form that says the same stays; another one is replaced', () => {
  const short = config.replace(
    'when: [{ batch: true, factor: 0.5 }, ',
    'batch_input: 2.5\n      batch_output: 15\n      when: [',
  );
  expect(pricesIn(written(short, rows), 'gpt')).toMatchObject({ batch_input: '2.5', batch_output: '15' });
  const replaced = pricesIn(
    written(short.replace('batch_output: 15', 'batch_output: 9'), rows),
    'gpt',
  ) as PriceEntry;
  expect(replaced.batch_output).toBeUndefined();
  expect(replaced.when?.at(-1)).toEqual({ batch: true, factors: { input: '0.5' }, output: '15' });
});

test('says where rules of the sheet and of the source change each other', () => {
  const notes = (text: string, csv: string): string => compare(text, csv)[0]?.notes.join() ?? '';
  const short = config.replace(
    'when: [{ batch: true, factor: 0.5 }, ',
    'batch_input: 2.5\n      batch_output: 10\n      when: [',
  );
  const lengths = rows
    .split('\n')
    .filter((row) => !row.includes(',true,'))
    .join('\n');
  expect(notes(short, lengths)).toMatch(/^batch_input and batch_output do not change prices of long prompts/);
  const long = config.replace('when: [', 'when: [{ context_above: 9, input: 8 }, ');
  const plain = rows
    .split('\n')
    .filter((row) => !row.includes('272000'))
    .join('\n');
  expect(notes(long, plain)).toMatch(/replace the prices of long prompts, which only the sheet has/);
  expect(notes(config, rows)).toBe('');
});

test('prices that start later are added with their date, and those in force stay', () => {
  const next = 'provider,model,component,price\nopenai,gpt-9,input,7\n';
  const text = written(config, next, { from: '2026-12-01T00:00:00+09:00' });
  expect(pricesIn(text, 'gpt')).toMatchObject([
    { input: '5', output: '20' },
    { from: '2026-12-01T00:00:00+09:00', input: '7', output: '20', source: 'our list' },
  ]);
});

test('a file without prices gets a sheet', () => {
  const bare = config.slice(0, config.indexOf('prices:'));
  expect(readConfigFile(written(bare, rows), {}).prices).toMatchObject({
    version: '2026-11',
    models: { grok: {} },
  });
});

test('finds what is old, missing and dated ahead', () => {
  const text = written(config, rows);
  const found = (days: number): string[] =>
    checkSheet(readConfigFile(text, {}), { now, days }).map(
      ({ model, finding, what }) => `${model} ${finding} ${what}`,
    );
  expect(found(1)).toEqual([
    'gpt missing cached_input',
    'grok missing cached_input',
    'grok ahead 2027-01-01T00:00:00Z',
    'claude stale no date',
    'claude missing cached_input',
    'claude missing cache_write',
    'claude missing cache_write_1h',
    'claude missing tools',
  ]);
  expect(found(0)).toContain('gpt stale 2026-11-15');
});

test('hours of a source without days take the days that the sheet has for them', () => {
  const sheet = config.replace(
    'claude: { input: 1, output: 2 }',
    `claude: { input: 1, output: 2 }
    grok:
      input: 2
      output: 6
      when:
        - { hours: { from: '01:00', to: '04:00', days: [mon, tue], except: [2027-01-01] }, factor: 2 }
        - { tier: flex, factor: 0.5 }`,
  );
  const grok = (hours: string, price: string): string =>
    `xai,grok-9,input,${hours === '' ? 2 : price},${hours}\nxai,grok-9,output,6,${hours}\n`;
  const list = (price: string): string =>
    `provider,model,component,price,hours\n${grok('', '')}${grok('01:00-04:00', price)}${grok('20:00-22:00', '9')}`;
  const shown = compare(sheet, list('5')).flatMap(({ differences }) =>
    differences.map(({ model, what, state, old, new: price }) => `${model} ${what} ${state} ${old} ${price}`),
  );
  const hours = '01:00-04:00 UTC mon tue, except 2027-01-01';
  expect(shown).toEqual([
    'grok input same 2 2',
    'grok output same 6 6',
    `grok ${hours}: input changed 4 5`,
    `grok ${hours}: output changed 12 6`,
    'grok 20:00-22:00 UTC: input new null 9',
    'grok 20:00-22:00 UTC: output new null 6',
    'grok tier flex: input only_in_sheet 1 null',
    'grok tier flex: output only_in_sheet 3 null',
  ]);
  expect(pricesIn(written(sheet, list('5')), 'grok')).toMatchObject({
    when: [
      { hours: { days: ['mon', 'tue'], except: ['2027-01-01'] }, input: '5', output: '6' },
      { hours: { from: '20:00', to: '22:00' }, input: '9' },
      { tier: 'flex', factor: '0.5' },
    ],
  });
});

test('a price that the sheet has only by hours is not missing, because hours leave no gap', () => {
  const sheet = config.replace(
    'claude: { input: 1, output: 2 }',
    `claude: { input: 1, output: 2 }
    grok:
      output: 6
      as_of: 2026-11-15
      when:
        - { hours: { from: '00:30', to: '16:30' }, input: 2, cached_input: 1 }
        - { hours: { from: '16:30', to: '00:30' }, input: 1, cached_input: 0.5 }`,
  );
  const found = checkSheet(readConfigFile(sheet, {}), { now, days: 30 });
  expect(found.filter(({ model }) => model === 'grok')).toEqual([]);
});
