/** One reading of a file reports everything that is wrong with it, and nothing that is only a consequence. */
import { expect, test } from 'vitest';
import { parseConfig } from './config-file.ts';
import { readCatalog } from './read-catalog.ts';

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
