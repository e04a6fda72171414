import { expect, test } from 'vitest';
import { readConfigFile } from '../config/config-file.ts';
import { readCatalog } from './read-catalog.ts';

const route = 'routes: [{ provider: one, model: m }]';
const read = (models: string) =>
  readCatalog(
    readConfigFile(
      `providers:
  one: { dialect: openai, base_url: "https://one.example/v1", api_key: k }
  off: { dialect: openai, base_url: "https://one.example/v1", api_key: "" }
models:
  other: { ${route} }
  vectors: { endpoints: [embeddings], ${route} }
  pictures: { endpoints: [images], ${route} }
  narrow: { endpoints: [chat], ${route} }
${models}
`,
      {},
    ),
    0,
  );
const withFallbacks = (fallbacks: string, more = '') =>
  `  main: { ${more}fallbacks: ${fallbacks}, ${route} }`;

test('fallbacks are read in their order', () => {
  const models = read(withFallbacks('[{ model: other, on: [outage, refusal] }]')).models;
  expect(models.get('main')?.fallbacks).toEqual([{ model: 'other', on: new Set(['outage', 'refusal']) }]);
  expect(models.get('other')?.fallbacks).toBeUndefined();
});

test('two models may be the fallback of each other', () => {
  const back = `  back: { fallbacks: [{ model: main, on: [outage] }], ${route} }`;
  expect(() => read(`${withFallbacks('[{ model: back, on: [outage] }]')}\n${back}`)).not.toThrow();
});

test.each([
  [
    'an unknown model',
    '[{ model: othr, on: [outage] }]',
    '',
    'fallbacks[0].model: there is no othr; did you mean other?',
  ],
  ['itself', '[{ model: main, on: [outage] }]', '', 'a model cannot be its own fallback'],
  [
    'one twice',
    '[{ model: other, on: [outage] }, { model: other, on: [refusal] }]',
    '',
    'other is listed twice',
  ],
  [
    'a model of another kind',
    '[{ model: vectors, on: [outage] }]',
    '',
    'vectors cannot be called on /v1/chat/completions',
  ],
  [
    'a model with fewer endpoints',
    '[{ model: narrow, on: [outage] }]',
    '',
    'narrow cannot be called on /v1/responses, /v1/messages',
  ],
  [
    'embeddings',
    '[{ model: vectors, on: [outage] }]',
    'endpoints: [embeddings], ',
    'vectors of different models cannot be compared',
  ],
  [
    'images',
    '[{ model: pictures, on: [outage] }]',
    'endpoints: [images], ',
    'only text models can have fallbacks',
  ],
  ['no reason', '[{ model: other, on: [] }]', '', 'on'],
  ['an unknown reason', '[{ model: other, on: [outages] }]', '', 'outage'],
])('a configuration with fallbacks to %s is rejected', (_, fallbacks, more, message) => {
  expect(() => read(withFallbacks(fallbacks, more))).toThrow(message);
});
