/** Google's embeddings, one at a time or in batches. */
import type { Usage } from '../brain/prompt.ts';
import { countTokens } from '../brain/tokens.ts';
import { seedOf, spaceOf } from '../brain/vectors.ts';
import { hashText } from '../brain/words.ts';
import { type Endpoint, plainScript, type RequestHead, type Script } from '../script.ts';
import { google } from './google.ts';
import { type EmbedRequest, readBatch, readEmbed } from './read-embed.ts';

export const embedContent: Endpoint = {
  dialect: google,
  method: 'POST',
  path: '/v1beta/models/{model}:embedContent',
  streams: false,
  read: (body, request) =>
    readScript(modelOf(request), [readEmbed(body, modelOf(request))], ([vector]) => `"embedding":${vector}`),
};

export const batchEmbedContents: Endpoint = {
  dialect: google,
  method: 'POST',
  path: '/v1beta/models/{model}:batchEmbedContents',
  streams: false,
  read: (body, request) =>
    readScript(
      modelOf(request),
      readBatch(body, modelOf(request)),
      (vectors) => `"embeddings":[${vectors.join()}]`,
    ),
};

function modelOf(request: RequestHead): string {
  return request.params.model ?? '';
}

function readScript(
  model: string,
  requests: readonly EmbedRequest[],
  writeAll: (vectors: readonly string[]) => string,
): Script {
  const inputTokens = requests.reduce((sum, { text }) => sum + countTokens(text), 0);
  const usage = { inputTokens, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  return plainScript({
    model,
    asked: requests.find(({ text }) => text.includes('[['))?.text ?? '',
    hash: requests.reduce((hash, { text }) => hashText(text, hash), 0),
    body: (bill) => `{${writeAll(requests.map(writeVector))}${writeUsage(bill(usage))}}`,
  });
}

/** A shortened vector is left as it is: to bring it to the length one again is up to the caller. */
function writeVector({ text, embedding, dimensions }: EmbedRequest): string {
  const space = spaceOf(embedding.dimensions);
  const seed = seedOf(text);
  const whole = dimensions === space.dimensions;
  return `{"values":[${whole ? space.write(seed) : space.numbers(seed, dimensions).join()}]}`;
}

function writeUsage(usage: Usage | null): string {
  if (usage === null) return '';
  const { inputTokens } = usage;
  const usageMetadata = {
    promptTokenCount: inputTokens,
    promptTokenDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
  };
  return `,"usageMetadata":${JSON.stringify(usageMetadata)}`;
}
