import { expect, test } from 'vitest';
import { readEmbeddingCall } from '../../../embeddings/embedding-call.ts';
import { readGoogleEmbeddings } from './read-embeddings.ts';
import { writeGoogleEmbeddings } from './write-embeddings.ts';

const target = { upstreamModel: 'gemini-embedding-001' };
const read = (json: unknown) => readGoogleEmbeddings(Buffer.from(JSON.stringify(json)));

test('a call is a batch with one request for each text', () => {
  const call = readEmbeddingCall({ model: 'm', input: ['하나', 'two'], dimensions: 256 });
  expect(writeGoogleEmbeddings(call, target)).toEqual({
    requests: ['하나', 'two'].map((text) => ({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text }] },
      outputDimensionality: 256,
    })),
  });
});

test.each([[[1, 2]], [[[1], [2]]]])('token ids are rejected: %o', (input) => {
  expect(() => writeGoogleEmbeddings(readEmbeddingCall({ model: 'm', input }), target)).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', param: 'input' }),
  );
});

test('vectors have the order of the texts, with token counts if there are any', () => {
  const embeddings = [{ values: [1, 0.5] }, { values: [-0.25, 0] }];
  expect(read({ embeddings })).toEqual({
    vectors: [new Float32Array([1, 0.5]), new Float32Array([-0.25, 0])],
    usage: null,
  });
  expect(read({ embeddings, usageMetadata: { promptTokenCount: 5 } })?.usage).toMatchObject({
    inputTokens: 5,
  });
});

test.each<[string, unknown]>([
  ['an error', { error: {} }],
  ['no vectors', { embeddings: [] }],
  ['one without numbers', { embeddings: [{ values: [1] }, {}] }],
])('%s is not an answer', (_, json) => {
  expect(read(json)).toBeNull();
});
