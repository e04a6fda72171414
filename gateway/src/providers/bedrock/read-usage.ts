/** Reads Bedrock's token counts. Null when they are missing or cannot be true. Pure. */

import { isObject } from '../../kernel/json/read-json.ts';
import { plausibleUsage, type Usage } from '../../pricing/usage.ts';

/** Cached tokens are counted separately from the input tokens. */
export function readBedrockUsage(json: unknown): Usage | null {
  if (!isObject(json)) return null;
  const cachedInputTokens = (json.cacheReadInputTokens ?? 0) as number;
  const cacheWriteTokens = (json.cacheWriteInputTokens ?? 0) as number;
  const usage: Usage = {
    inputTokens: (json.inputTokens as number) + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: json.outputTokens as number,
    // Reasoning is part of the output; Bedrock does not report it separately.
    reasoningTokens: 0,
  };
  return plausibleUsage(usage) ? usage : null;
}
