import { describe, expect, test } from 'vitest';
import type { EmbeddingCall } from '../embeddings/embedding-call.ts';
import { checkEmbeddingCall, checkInputTokens, checkTotalTokens, tokensToCount } from './check-embedding.ts';
import type { EmbeddingLimits, Model } from './model.ts';

function modelWith(limits: Partial<EmbeddingLimits>, dimensions = false): Model {
  return {
    code: 'm',
    createdSeconds: 0,
    endpoints: new Set(['embeddings']),
    capabilities: new Set(dimensions ? ['dimensions'] : []),
    supportsBatch: false,
    batchEngine: 'own',
    batchRequires: null,
    contextTokens: null,
    outputTokensMax: null,
    outputCapField: null,
    embedding: { inputTokensMax: null, inputsMax: null, totalTokensMax: null, ...limits },
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
}

const callOf = (inputs: EmbeddingCall['inputs'], more: Partial<EmbeddingCall> = {}): EmbeddingCall => ({
  inputs,
  listed: true,
  encoding: 'float',
  dimensions: null,
  ...more,
});

test('dimensions are rejected for models without them', () => {
  const call = callOf(['a'], { dimensions: 8 });
  expect(() => checkEmbeddingCall(modelWith({}, true), call)).not.toThrow();
  expect(() => checkEmbeddingCall(modelWith({}), call)).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', param: 'dimensions' }),
  );
});

test('the number of inputs is limited by the model, and a list of token ids is one input', () => {
  const model = modelWith({ inputsMax: 2 });
  expect(() => checkEmbeddingCall(model, callOf(['a', 'b']))).not.toThrow();
  expect(() => checkEmbeddingCall(model, callOf([[1, 2, 3, 4]]))).not.toThrow();
  expect(() => checkEmbeddingCall(model, callOf(['a', 'b', 'c']))).toThrow(
    expect.objectContaining({ code: 'batch_too_large', param: 'input' }),
  );
});

describe('tokens are counted', () => {
  test('never if the catalogue sets no limit', () => {
    expect(tokensToCount(modelWith({}), callOf(['x'.repeat(10_000)]))).toBeNull();
  });

  test('never if the bytes are within the limit', () => {
    const model = modelWith({ inputTokensMax: 6, totalTokensMax: 12 });
    expect(tokensToCount(model, callOf(['한국', [1, 2, 3, 4, 5, 6]]))).toBeNull();
  });

  test('only for inputs that may be too long', () => {
    const model = modelWith({ inputTokensMax: 5 });
    expect(tokensToCount(model, callOf(['abcde', 'abcdef', '한국', [1, 2, 3, 4, 5, 6]]))).toEqual({
      long: [1, 2, 3],
      total: false,
    });
  });

  test('for all inputs if they may be too long together', () => {
    const model = modelWith({ inputTokensMax: 5, totalTokensMax: 8 });
    expect(tokensToCount(model, callOf(['abcde', [1, 2, 3, 4]]))).toEqual({ long: [], total: true });
  });
});

test('an input that is too long is rejected, naming the input', () => {
  const model = modelWith({ inputTokensMax: 5 });
  const call = callOf(['a', 'b']);
  expect(() => checkInputTokens(model, call, { index: 1, tokens: 5 })).not.toThrow();
  expect(() => checkInputTokens(model, call, { index: 1, tokens: 6 })).toThrow(
    expect.objectContaining({ code: 'input_too_long', param: 'input[1]' }),
  );
  expect(() => checkInputTokens(model, { ...call, listed: false }, { index: 0, tokens: 6 })).toThrow(
    expect.objectContaining({ code: 'input_too_long', param: 'input' }),
  );
});

test('inputs that are too long together are rejected', () => {
  const model = modelWith({ totalTokensMax: 5 });
  expect(() => checkTotalTokens(model, 5)).not.toThrow();
  expect(() => checkTotalTokens(model, 6)).toThrow(
    expect.objectContaining({ code: 'batch_too_large', param: 'input' }),
  );
});
