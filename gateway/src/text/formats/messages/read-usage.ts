/**
 * Reads the usage of a message. Null when it is missing or cannot be true. What the format calls
 * input are only the tokens that no cache had a part in.
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

/** Later numbers are of all so far; what a later event does not tell still holds. */
export function mergeUsageJson(before: unknown, after: unknown): unknown {
  if (!isObject(after)) return before;
  const told = Object.entries(after).filter(([, value]) => value !== null);
  return { ...objectOf(before), ...Object.fromEntries(told) };
}
