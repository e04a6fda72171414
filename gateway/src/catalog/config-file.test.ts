import { describe, expect, test } from 'vitest';
import { printUnits } from '../kernel/units.ts';
import { ConfigError } from './config-error.ts';
import { readConfigFile } from './config-file.ts';
import { readCatalog } from './read-catalog.ts';

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
    const price = read(good).models.get('fast')?.price;
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
      read(good.replace('fast: { input', `fast: { per_image: ${entry}, input`)).models.get('fast')?.price
        ?.images;
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
    const { data } = JSON.parse(catalog.listJson({ spaceName: 'acme', models: null })) as {
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
