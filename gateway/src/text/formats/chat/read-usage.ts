/** Reads the usage of a chat answer. Null when it is missing or cannot be true. */
import { plausibleUsage, type Usage } from '../../../pricing/usage.ts';

interface ChatUsageJson {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null;
}

export function readChatUsage(json: unknown): Usage | null {
  if (typeof json !== 'object' || json === null) return null;
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } =
    json as ChatUsageJson;
  const usage = {
    inputTokens: prompt_tokens,
    cachedInputTokens: prompt_tokens_details?.cached_tokens ?? 0,
    cacheWriteTokens: 0,
    outputTokens: completion_tokens,
    reasoningTokens: completion_tokens_details?.reasoning_tokens ?? 0,
  } as Usage;
  return plausibleUsage(usage) ? usage : null;
}
