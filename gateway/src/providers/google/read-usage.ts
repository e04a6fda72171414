/** Reads Gemini's token counts. Null when they are missing or cannot be true. Pure. */
import { isObject } from '../../kernel/json/read-json.ts';
import { plausibleUsage, type Usage } from '../../pricing/usage.ts';

/** Google omits zeros. Reasoning and the results of its own tools are counted separately from output and input. */
export function readGoogleUsage(json: unknown): Usage | null {
  if (!isObject(json)) return null;
  const count = (value: unknown): number => (value === undefined ? 0 : (value as number));
  const usage: Usage = {
    inputTokens: (json.promptTokenCount as number) + count(json.toolUsePromptTokenCount),
    cachedInputTokens: count(json.cachedContentTokenCount),
    cacheWriteTokens: 0,
    outputTokens: count(json.candidatesTokenCount) + count(json.thoughtsTokenCount),
    reasoningTokens: count(json.thoughtsTokenCount),
  };
  return plausibleUsage(usage) ? usage : null;
}
