/** One reading of a file reports everything that is wrong with it, and nothing that is only a consequence. */
import { expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { parseConfig } from './config-file.ts';

/** The places and messages of all problems, as `config check` finds them. */
function problemsIn(
  text: string,
  env: Record<string, string> = {},
  files: Record<string, string> = {},
): string[] {
  const readFile = (path: string): string => {
    const content = files[path];
    if (content === undefined) throw new Error(`the file ${path} cannot be read: it does not exist`);
    return content;
  };
  const { content, problems } = parseConfig(text, { env, readFile });
  problems.attempt(() => readCatalog(content, 0));
  return problems.found.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const good = `providers:
  one: { dialect: openai, base_url: "https://one.example/v1" }
models:
  fast: { batch: true, routes: [{ provider: one, model: fast-1 }] }
  slow: { routes: [{ provider: one, model: slow-1 }] }
prices:
  version: v1
  models:
    fast: { input: 1, output: 2, batch_input: 1, batch_output: 2 }
`;

test('every error is reported, with its line and column and the nearest known key', () => {
  const bad = good
    .replace('dialect: openai', 'dialect: opnai, vendr: groq')
    .replace('  slow: { routes: [{ provider: one,', '  slow: { capabilites: [], routes: [{ provder: one,')
    .replace('version: v1', 'verison: v1');
  expect(problemsIn(`limts: {}\n${bad}`)).toEqual([
    '1:1 unknown key limts: did you mean limits?',
    expect.stringMatching(/^3:10 providers\.one\.dialect must be one of .*; did you mean openai\?$/),
    '3:26 unknown key providers.one.vendr: did you mean vendor?',
    '6:11 unknown key models.slow.capabilites: did you mean capabilities?',
    '6:37 models.slow.routes[0].provider is required',
    '6:39 unknown key models.slow.routes[0].provder: did you mean provider?',
    '7:1 prices.version is required',
    '8:3 unknown key prices.verison: did you mean version?',
  ]);
});

test('mistakes of entries against each other are reported together', () => {
  const bad = good
    .replace('slow: { routes: [{ provider: one,', 'slow: { batch: provider, routes: [{ provider: onee,')
    .replace('batch_output: 2', 'when: [{ factor: 2 }, { tier: flex }]')
    .concat('    fats: { input: 1 }\n');
  expect(problemsIn(bad)).toEqual([
    '5:39 models.slow.routes[0].provider: there is no onee; did you mean one?',
    expect.stringContaining('9:5 prices.models.fast needs batch_input and batch_output'),
    expect.stringContaining('prices.models.fast.when[0] needs a condition'),
    expect.stringContaining('prices.models.fast.when[1] has no price'),
    '10:5 prices.models.fats: there is no fats; did you mean fast?',
  ]);
});

test('mistakes in prices, hours and markup are reported together, each at its place', () => {
  const bad = good
    .replace(
      'fast: { input: 1, output: 2, batch_input: 1, batch_output: 2 }',
      `fast:
      input: 1
      as_of: 2026-02-31
      per_image: {}
      batch_input: 1
      batch_output: 2
      when:
        - { tier: Flex, geo: global, factor: 2 }
        - { hours: { from: "01:00", to: "04:00" }, factor: 2 }
        - { hours: { from: "03:00", to: "05:00" }, factor: 3, input: 1 }
        - { context_above: 200, output: 3 }
        - { context_above: 100, output: 4 }
    slow:
      when:
        - { hours: { from: "01:00", to: "01:00", except: [2027-02-30, 2027-02-31] }, input: 2 }`,
    )
    .replace(
      '  models:\n    fast:',
      `  units_per_currency: 0
  markup:
    - { factor: 2, model: slwo }
    - { factor: 2, model: fsat, key: ci, space: Lab! }
    - { factor: 2, model: slwo }
  models:
    fast:`,
    );
  expect(problemsIn(bad)).toEqual([
    '8:3 prices.units_per_currency must be more than 0',
    '10:20 prices.markup[0].model: there is no slwo; did you mean slow?',
    '11:20 prices.markup[1].model: there is no fsat; did you mean fast?',
    '11:33 prices.markup[1].key must be the id of a key, which begins with key_',
    '11:42 prices.markup[1].space cannot stand beside key: a key belongs to one space',
    '11:42 prices.markup[1].space must be the name of a space',
    '12:7 prices.markup[2] has the same conditions as prices.markup[0]',
    '12:20 prices.markup[2].model: there is no slwo; did you mean slow?',
    '16:7 prices.models.fast.as_of is not a date',
    '17:7 prices.models.fast.per_image has no price: write one, or remove it',
    '21:13 prices.models.fast.when[0].tier must be written as flex',
    '21:25 prices.models.fast.when[0].geo is global, which has the usual prices; remove the rule',
    '23:13 prices.models.fast.when[2].hours overlaps 01:00-04:00 UTC of prices.models.fast.when[1]',
    '25:33 prices.models.fast.when[4].output always replaces that of prices.models.fast.when[3]; write this rule before it',
    '28:37 prices.models.slow.when[0].hours.to must differ from from; whole days are 00:00 to 24:00',
    '28:59 prices.models.slow.when[0].hours.except[0] is not a date',
    '28:71 prices.models.slow.when[0].hours.except[1] is not a date',
  ]);
});

test('a wrong model does not move the places of the markup after it', () => {
  const markup =
    '  markup:\n    - { factor: 2, model: slow }\n    - { factor: 3, model: fats }\n  models:\n    fast:';
  const bad = good.replace('slow: { routes', 'slow: { rotues').replace('  models:\n    fast:', markup);
  expect(problemsIn(bad)).toEqual([
    '5:3 models.slow.routes is required',
    '5:11 unknown key models.slow.rotues: did you mean routes?',
    '10:20 prices.markup[1].model: there is no fats; did you mean fast?',
  ]);
});

test('lists keep to their sizes, and days are not repeated', () => {
  const dates = Array.from({ length: 401 }, () => '2027-01-01').join(', ');
  const hours = (more: string) =>
    good.replace(
      'batch_output: 2 }',
      `batch_output: 2, when: [{ factor: 2, hours: { from: "1:00", to: "04:00", ${more} } }] }`,
    );
  expect(problemsIn(hours('days: [mon, tue, mon]'))).toEqual([
    expect.stringMatching(/hours\.from must be a time of day in UTC, such as 16:30$/),
    expect.stringMatching(/hours\.days\[2\] is in the list already; remove it$/),
  ]);
  expect(problemsIn(hours(`except: [${dates}]`))[1]).toMatch(/except must not have more than 400 entries$/);
  expect(problemsIn(hours('days: []'))[1]).toMatch(/days must not be empty$/);
});

test.each([
  ['a provider', good.replace('dialect: openai', 'dialect: nothing')],
  ['a model', good.replace('batch: true', 'batch: maybe')],
  ['a price', good.replace('batch_output: 2', 'batch_output: -2')],
  ['the version of the prices', good.replace('  version: v1\n', '')],
  [
    'the name of a provider',
    good.replace('  one: {', '  One: {').replaceAll('provider: one', 'provider: One'),
  ],
])('a mistake in %s is reported once, without its consequences', (_, text) => {
  expect(problemsIn(text)).toHaveLength(1);
});

test('syntax errors have their place, and show nothing of the file', () => {
  const found = problemsIn('- a\nb: sk-secret\n');
  expect(found[0]).toMatch(/^2:1 not valid YAML: /);
  expect(found.join()).not.toContain('sk-secret');
});

test('an alias without an anchor is an error', () => {
  expect(problemsIn('providers: *none')[0]).toMatch(/not valid YAML: .*none/);
});

test('a value is read from a file, and a missing file is an error with its line', () => {
  const text = good.replace('base_url:', 'api_key: "${file:keys/one}", base_url:');
  expect(problemsIn(text, {}, { 'keys/one': 'secret' })).toEqual([]);
  expect(problemsIn(text)).toEqual([
    '2:27 providers.one.api_key: the file keys/one cannot be read: it does not exist',
  ]);
});

test('a value from a variable or a file is shown as it is written', () => {
  const text = good
    .replace('provider: one, model: slow-1', 'provider: "${WHO}", model: "${file:x}"')
    .concat('provider_prices: { version: v1, currency: "${WHO}", models: {} }\n');
  const found = problemsIn(text, { WHO: 'hunter2-secret' }, { x: 'other-secret' });
  expect(found).toHaveLength(2);
  expect(found[0]).toContain('there is no ${WHO}');
  expect(found.join()).not.toMatch(/hunter2|other-secret/);
});
