/** OpenAI's embeddings. */
import { seedOf, spaceOf, toLengthOne } from '../brain/vectors.ts';
import { type Endpoint, plainScript, type Script } from '../script.ts';
import { openAi } from './open-ai.ts';
import { type EmbeddingsRequest, readEmbeddings } from './read-embeddings.ts';

export const embeddings: Endpoint = {
  dialect: openAi,
  method: 'POST',
  path: '/v1/embeddings',
  streams: false,
  read: readScript,
};

function readScript(body: unknown): Script {
  const request = readEmbeddings(body);
  const { model, inputs, inputTokens } = request;
  const seeds = inputs.map(seedOf);
  const usage = { inputTokens, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  return plainScript({
    model,
    asked: request.asked,
    hash: seeds.reduce((hash, seed) => (Math.imul(hash, 31) + seed) >>> 0, 0),
    body: (bill) => writeEmbeddings(request, seeds, bill(usage)?.inputTokens ?? null),
  });
}

/** Written by hand: `JSON.stringify` would take seconds for the largest of answers. */
function writeEmbeddings(
  request: EmbeddingsRequest,
  seeds: readonly number[],
  inputTokens: number | null,
): string {
  const data = seeds.map(
    (seed, index) => `{"object":"embedding","index":${index},"embedding":${writeVector(request, seed)}}`,
  );
  const usage = inputTokens === null ? null : { prompt_tokens: inputTokens, total_tokens: inputTokens };
  return (
    `{"object":"list","data":[${data.join()}],"model":${JSON.stringify(request.model)}` +
    `${usage === null ? '' : `,"usage":${JSON.stringify(usage)}`}}`
  );
}

function writeVector({ embedding, dimensions, base64 }: EmbeddingsRequest, seed: number): string {
  const space = spaceOf(embedding.dimensions);
  if (!base64 && dimensions === space.dimensions) return `[${space.write(seed)}]`;
  const numbers = space.numbers(seed, dimensions);
  const vector = dimensions === space.dimensions ? numbers : toLengthOne(numbers);
  return base64 ? `"${writeBase64(vector)}"` : `[${vector.join()}]`;
}

/** Numbers of 32 bits, the lowest byte first, as this machine has them. */
function writeBase64(vector: Float64Array): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}
