/** Reads and writes usage in the embeddings format, which has no output tokens. */

import { objectOf } from '../json/read-json.ts';
import { plausibleUsage, type Usage } from '../pricing/usage.ts';

/** Null when it is missing or cannot be true. Some servers send only the total, which is the same. */
export function readEmbeddingUsage(json: unknown): Usage | null {
  const { prompt_tokens, total_tokens } = objectOf(json);
  const inputTokens = prompt_tokens ?? total_tokens;
  return inputTokens === undefined ? null : embeddingUsage(inputTokens as number);
}

export function embeddingUsage(inputTokens: number): Usage | null {
  const none = { cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const usage = { inputTokens, ...none };
  return plausibleUsage(usage) ? usage : null;
}

export function writeEmbeddingUsage({ inputTokens }: Usage): Record<string, number> {
  return { prompt_tokens: inputTokens, total_tokens: inputTokens };
}
