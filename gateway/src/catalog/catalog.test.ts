import { expect, test } from 'vitest';
import type { ModelEndpoint } from '../contract/paid-endpoints.ts';
import { Catalog } from './catalog.ts';
import type { Model } from './model.ts';

const model: Model = {
  code: 'm',
  createdSeconds: 0,
  endpoints: new Set(),
  capabilities: new Set(),
  supportsBatch: false,
  batchEngine: 'own',
  batchRequires: null,
  contextTokens: null,
  outputTokensMax: null,
  outputCapField: null,
  embedding: { inputTokensMax: null, inputsMax: null, totalTokensMax: null },
  image: {
    sizes: null,
    qualities: null,
    backgrounds: null,
    sizeDefault: null,
    qualityDefault: null,
    imagesMax: 1,
  },
  video: {
    seconds: null,
    secondsDefault: null,
    resolutions: null,
    aspectRatios: null,
    inputs: new Set(),
    referencesMax: 3,
    videosMax: 1,
  },
  spaces: null,
  prices: [],
  priceVersion: '1',
  routes: [],
};
const catalog = new Catalog({ providers: [], priceSheet: { version: '1', models: {} }, models: [model] });

test.each<[ModelEndpoint, string]>([
  ['responses', 'responses_not_supported'],
  ['chat', 'model_not_found'],
  ['messages', 'model_not_found'],
])('a model without the endpoint %s answers %s', (endpoint, code) => {
  expect(() => catalog.find('m', { user: { spaceName: 's', models: null }, endpoint })).toThrow(
    expect.objectContaining({ code, param: 'model' }),
  );
});
