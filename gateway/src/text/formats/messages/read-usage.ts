/**
 * Reads the usage of a message. Null when it is missing or cannot be true. `input_tokens` excludes cached
 * tokens in this format.
 */

import { isObject, objectOf } from '../../../kernel/json/read-json.ts';
import { plausibleUsage, type Usage } from '../../../pricing/usage.ts';

export function readMessagesUsage(json: unknown): Usage | null {
  if (!isObject(json)) return null;
  const cachedInputTokens = (json.cache_read_input_tokens ?? 0) as number;
  const cacheWriteTokens = (json.cache_creation_input_tokens ?? 0) as number;
  const usage = {
    inputTokens: (json.input_tokens as number) + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: json.output_tokens as number,
    reasoningTokens: (objectOf(json.output_tokens_details).thinking_tokens ?? 0) as number,
  };
  return plausibleUsage(usage) ? usage : null;
}

/** Later counts are cumulative; a count that a later event omits keeps its value. */
export function mergeUsageJson(before: unknown, after: unknown): unknown {
  if (!isObject(after)) return before;
  const present = Object.entries(after).filter(([, value]) => value !== null);
  return { ...objectOf(before), ...Object.fromEntries(present) };
}
