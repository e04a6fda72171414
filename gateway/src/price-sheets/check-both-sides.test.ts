/** A wrong price never gets as far as a bill: both sheets are rejected with the field and its line. */
import { describe, expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { parseConfig } from '../config/config-file.ts';
import { ConfigError } from '../yaml/config-error.ts';

const KEY = 'key_01j9x8w7v6t5s4r3q2p1n0m9k8';

/** The models begin in line 3, `markup` in line 9, `provider_prices` in line 14. */
const good = `providers:
  one: { dialect: openai, base_url: "https://one.example" }
models:
  fast: { routes: [{ provider: one, model: gpt }] }
  slow: { batch: own, routes: [{ provider: one, model: gpt-2 }, { provider: one, model: gpt }] }
prices:
  version: v1
  units_per_currency: 100
  markup:
    - { factor: 1.2 }
    - { factor: 1.1, space: lab }
  models:
    fast: { input: 1, output: 2 }
provider_prices:
  version: b1
  currency: USD
  models:
    one/gpt: { input: 1, output: 2, tools: { google_search_prompt: 1 } }
    one/gpt-2: { input: 1, output: 2, tools: { google_search_prompt: 1 }, as_of: 2026-11-16 }
`;

function read(text: string): string {
  try {
    const { content, problems } = parseConfig(text, { env: {} });
    problems.attempt(() => readCatalog(content, 0));
    problems.throwAny();
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

/** The file with another text in place of one that it has. */
function changed(from: string, to: string): string {
  expect(good).toContain(from);
  return good.replace(from, to);
}

const markup = (rule: string): string => changed('{ factor: 1.1, space: lab }', rule);
const bill = (entry: string): string =>
  changed('{ input: 1, output: 2, tools: { google_search_prompt: 1 } }', entry);
const rules = (...when: string[]): string =>
  bill(`
      input: 1
      output: 2
      tools: { google_search_prompt: 1 }
      when:${when.map((rule) => `\n        - ${rule}`).join('')}`);

type Case = [what: string, text: string, message: RegExp, line: number];

function expectRejected([, text, message, line]: Case): void {
  const reason = read(text);
  expect(reason).toMatch(message);
  expect(reason, 'one mistake is one error').not.toContain('\n');
  expect(reason).toMatch(new RegExp(` \\(line ${line}, column \\d+\\)$`));
  expect(reason).not.toMatch(/\\d|\^|undefined/);
}

const badMarkup: Case[] = [
  ['no factor', markup('{ space: lab }'), /markup\[1\]\.factor is required/, 11],
  ['a negative factor', markup('{ factor: -1, space: lab }'), /markup\[1\]\.factor .*not negative/, 11],
  ['a factor with an exponent', markup('{ factor: 1e3, space: lab }'), /markup\[1\]\.factor/, 11],
  ['a factor with 13 places', markup('{ factor: 1.1234567890123, space: lab }'), /at most 12 places/, 11],
  ['an unknown condition', markup('{ factor: 1, spcae: lab }'), /spcae: did you mean space\?/, 11],
  ['an unknown model', markup('{ factor: 1, model: fsat }'), /\.model: there is no fsat; did you mean/, 11],
  ['no model', markup('{ factor: 1, model: "" }'), /\.model: there is no/, 11],
  ['a name that no space has', markup('{ factor: 1, space: Lab! }'), /\.space must be the name of a/, 11],
  ['an empty name of a space', markup('{ factor: 1, space: "" }'), /\.space must be the name of a/, 11],
  ['several spaces', markup('{ factor: 1, space: [lab, acme] }'), /\.space must be a text/, 11],
  ['the name of a key', markup('{ factor: 1, key: ci }'), /\.key must be the id of a key/, 11],
  [
    'a key and a space',
    markup(`{ factor: 1, key: ${KEY}, space: lab }`),
    /\.space cannot stand beside key: a key belongs to one space/,
    11,
  ],
  [
    'two rules for everyone',
    markup('{ factor: 1.3 }'),
    /markup\[1\] has the same conditions as prices\.markup\[0\]/,
    11,
  ],
  [
    'two rules for one space',
    markup('{ factor: 1, space: lab }\n    - { space: lab, factor: 1.3 }'),
    /markup\[2\] has the same conditions as prices\.markup\[1\]/,
    12,
  ],
  [
    'two rules for a key and a model',
    markup(`{ factor: 1, key: ${KEY}, model: fast }\n    - { factor: 2, model: fast, key: ${KEY} }`),
    /markup\[2\] has the same conditions as prices\.markup\[1\]/,
    12,
  ],
  ['no list', changed('markup:\n    - { factor: 1.2 }\n    -', 'markup:'), /markup must be a list/, 9],
  [
    'units that cost nothing',
    changed('_currency: 100', '_currency: 0'),
    /units_per_currency must be more/,
    8,
  ],
  ['units below nothing', changed('_currency: 100', '_currency: -1'), /units_per_currency .*negative/, 8],
];

const badBills: Case[] = [
  ['no currency', changed('  currency: USD\n', ''), /provider_prices\.currency is required/, 14],
  ['an unknown currency', changed('USD', 'DOLLAR'), /provider_prices\.currency must be one of/, 16],
  ['no version', changed('  version: b1\n', ''), /provider_prices\.version is required/, 14],
  ['an unknown sheet', changed('  currency:', '  markup: []\n  currency:'), /provider_prices\.markup/, 16],
  ['a model that no route has', changed('one/gpt:', 'one/gtp:'), /there is no one\/gtp; did you mean/, 18],
  ['a provider that no route has', changed('one/gpt:', 'two/gpt:'), /there is no two\/gpt/, 18],
  ['a model without a provider', changed('one/gpt:', 'gpt:'), /there is no gpt/, 18],
  ['an unknown component', bill('{ inptu: 1 }'), /one\/gpt\.inptu: did you mean input\?/, 18],
  ['a negative price', bill('{ input: 1, output: -2 }'), /one\/gpt\.output .*not negative/, 18],
  ['a negative price of a tool', bill('{ tools: { web_search: -1 } }'), /tools\.web_search .*negative/, 18],
  ['a negative price of an image', bill('{ per_image: { low: -1 } }'), /per_image\.low .*negative/, 18],
  ['a negative price of a second', bill('{ per_second: -1 }'), /per_second .*negative/, 18],
  [
    'a tool without a proper name',
    bill('{ tools: { "Web Search": 1 } }'),
    /"Web Search" is not a valid name; write lower-case/,
    18,
  ],
  ['an entry without a price', bill('{ as_of: 2026-11-16 }'), /one\/gpt has no price/, 18],
  ['an empty table of prices', bill('{ input: 1, per_second: {} }'), /per_second has no price/, 18],
  ['an empty list', bill('[]'), /one\/gpt must not be empty/, 18],
  ['a day that does not exist', bill('{ input: 1, as_of: 2026-02-31 }'), /as_of is not a date/, 18],
  [
    'a date that does not exist',
    bill('\n      - { input: 1 }\n      - { from: 2026-02-31T00:00:00Z, input: 2 }'),
    /one\/gpt\[1\]\.from is not a date/,
    20,
  ],
  [
    'dates that do not rise',
    bill(
      '\n      - { input: 1 }\n      - { from: 2026-12-02T00:00:00Z, input: 2 }\n      - { from: 2026-12-01T00:00:00Z, input: 3 }',
    ),
    /one\/gpt\[2\]\.from must be later/,
    21,
  ],
  ['prices of the provider itself', bill('{ from_provider: true }'), /is only for prices\.models/, 18],
  ['a rule without a condition', rules('{ factor: 2 }'), /when\[0\] needs a condition/, 23],
  ['an unknown condition', rules('{ teir: flex, factor: 2 }'), /teir: did you mean tier\?/, 23],
  ['a negative factor', rules('{ tier: flex, factor: -2 }'), /when\[0\]\.factor .*negative/, 23],
  [
    'two rules with the same conditions',
    rules('{ tier: flex, factor: 2 }', '{ tier: flex, input: 2 }'),
    /when\[1\] has the same conditions/,
    24,
  ],
  [
    'lengths that overlap: the rule for shorter prompts comes last',
    rules('{ context_above: 200000, input: 3 }', '{ context_above: 100000, input: 2 }'),
    /when\[1\]\.input always replaces that of .*when\[0\]; write this rule before it/,
    24,
  ],
  [
    'marginal lengths that overlap',
    rules(
      '{ context_above: 200000, marginal: true, factor: 3 }',
      '{ context_above: 100000, marginal: true, input: 2 }',
    ),
    /when\[1\]\.input always replaces/,
    24,
  ],
  [
    'a rule with fewer conditions after one with more',
    rules('{ tier: flex, geo: us, tools: { web_search: 2 } }', '{ geo: us, tools: { web_search: 3 } }'),
    /when\[1\]\.tools\.web_search always replaces/,
    24,
  ],
  ['the usual tier', rules('{ tier: default, factor: 2 }'), /tier is default, which has the usual/, 23],
  ['the usual place', rules('{ geo: global, factor: 2 }'), /geo is global, which has the usual/, 23],
  ['a tier that answers never name so', rules('{ tier: Flex, factor: 2 }'), /must be written as flex/, 23],
  ['a tier of batches', rules('{ batch: true, tier: flex, factor: 2 }'), /tier cannot stand beside/, 23],
  [
    'a tool that is counted twice',
    rules('{ tier: flex, tools: { google_search_query: 2 } }'),
    /tools\.google_search_query counts the same as google_search_prompt/,
    23,
  ],
];

const sourced = (entry: string, batch = ''): string =>
  changed('fast: { input: 1, output: 2 }', `slow: ${entry}`).replace('batch: own, ', batch);

const badSources: Case[] = [
  ['a price beside it', sourced('{ from_provider: true, input: 1 }'), /slow\.input cannot stand beside/, 13],
  ['dates', sourced('[{ from_provider: true }]'), /slow\[0\]\.from_provider cannot be in a list/, 13],
  [
    'no batch price',
    sourced('{ from_provider: true }', 'batch: own, '),
    /slow needs batch_input and batch_output, or/,
    13,
  ],
];

describe('a price sheet is accepted', () => {
  test('if nothing is wrong with it', () => {
    expect(read(good)).toBe('accepted');
    expect(read(markup(`{ factor: 0, key: ${KEY}, model: fast }`))).toBe('accepted');
  });

  test('if each rule that follows leaves something of those before it', () => {
    const kept = rules(
      '{ context_above: 100000, input: 2 }',
      '{ context_above: 200000, input: 3 }',
      '{ tier: flex, factor: 0.5 }',
      '{ tier: priority, input: 4 }',
      '{ batch: true, factor: 0.5, cached_input: same }',
      '{ context_above: 300000, marginal: true, input: 5 }',
      '{ geo: us, factor: 1.1 }',
    );
    expect(read(kept)).toBe('accepted');
  });

  test('if routes with the same provider price differ only in where it comes from', () => {
    const text = sourced('{ from_provider: true }');
    expect(read(text)).toBe('accepted');
    expect(read(text.replace('gpt-2: { input: 1,', 'gpt-2: { input: 3,'))).toMatch(
      /slow\.from_provider needs one price for all routes, but one\/gpt-2 and one\/gpt differ.*\(line 13, column 13\)$/,
    );
  });
});

describe('a markup is rejected, naming the line, with', () => {
  test.each(badMarkup)('%s', (...one) => expectRejected(one));
});

describe('a provider price is rejected, naming the line, with', () => {
  test.each(badBills)('%s', (...one) => expectRejected(one));
});

describe('a price from the provider is rejected, naming the line, with', () => {
  test.each(badSources)('%s', (...one) => expectRejected(one));
});

describe('a model with batches but no batch price is rejected, naming the line of', () => {
  const priced = (entry: string): string => changed('fast: { input: 1, output: 2 }', `slow: ${entry}`);

  test.each([
    ['its entry', '{ input: 1, output: 2 }', /models\.slow needs batch_input and batch_output, or a/, 13],
    ['half a price', '{ input: 1, output: 2, batch_input: 1 }', /models\.slow needs batch_input and/, 13],
    [
      'the entry of the date that has none',
      '\n      - { input: 1, output: 2, batch_input: 1, batch_output: 1 }\n      - { from: 2026-12-01T00:00:00Z, input: 1, output: 2 }',
      /models\.slow\[1\] needs batch_input and batch_output/,
      15,
    ],
  ] as const)('%s', (what, entry, message, line) => expectRejected([what, priced(entry), message, line]));

  test('other settings that contradict each other are rejected with their line too', () => {
    expect(read(changed('batch: own', 'batch: own, endpoints: [images]'))).toMatch(/\(line 5, column \d+\)$/);
    expect(read(changed('provider: one, model: gpt }', 'provider: oen, model: gpt }'))).toMatch(
      /did you mean one\? \(line 4, column \d+\)$/,
    );
  });
});
