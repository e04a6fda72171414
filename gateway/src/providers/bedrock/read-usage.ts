/** Reads Bedrock's counts. Null when they are missing or cannot be true. */

import { isObject } from '../../kernel/json/read-json.ts';
import { plausibleUsage, type Usage } from '../../pricing/usage.ts';

/** What the cache had a part in is counted beside the input, not within it. */
export function readBedrockUsage(json: unknown): Usage | null {
  if (!isObject(json)) return null;
  const cachedInputTokens = (json.cacheReadInputTokens ?? 0) as number;
  const cacheWriteTokens = (json.cacheWriteInputTokens ?? 0) as number;
  const usage: Usage = {
    inputTokens: (json.inputTokens as number) + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: json.outputTokens as number,
    // Thoughts are counted within the output, and nobody tells how many there were.
    reasoningTokens: 0,
  };
  return plausibleUsage(usage) ? usage : null;
}
