/** Reads the usage of a response. Null when it is missing or cannot be true. */

import { isObject, objectOf } from '../../../kernel/json/read-json.ts';
import { plausibleUsage, type Usage } from '../../../pricing/usage.ts';

export function readResponsesUsage(json: unknown): Usage | null {
  if (!isObject(json)) return null;
  const input = objectOf(json.input_tokens_details);
  const usage = {
    inputTokens: json.input_tokens,
    cachedInputTokens: input.cached_tokens ?? 0,
    cacheWriteTokens: input.cache_write_tokens ?? 0,
    outputTokens: json.output_tokens,
    reasoningTokens: objectOf(json.output_tokens_details).reasoning_tokens ?? 0,
  } as Usage;
  return plausibleUsage(usage) ? usage : null;
}
