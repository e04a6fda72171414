/**
 * Reads the usage of a chat answer. Null when it is missing or cannot be true. Servers that speak this protocol add
 * their own fields, so this is the union of them.
 */
import { isObject, type Json, objectOf } from '../../../json/read-json.ts';
import { plausibleUsage, type Usage, type UsageDetails } from '../../../pricing/usage.ts';
import {
  type KnownFields,
  OWN_BILL,
  servedTier,
  unknownCounts,
  usageDetails,
  withDetails,
} from '../../../pricing/usage-details.ts';

/** `tier` is the field `service_tier` of the answer. */
export function readChatUsage(json: unknown, tier?: unknown): Usage | null {
  if (!isObject(json)) return null;
  const prompt = objectOf(json.prompt_tokens_details);
  const completion = objectOf(json.completion_tokens_details);
  const reasoning = completion.reasoning_tokens ?? 0;
  const counts = {
    inputTokens: json.prompt_tokens,
    // The second is DeepSeek's name for it.
    cachedInputTokens: prompt.cached_tokens ?? json.prompt_cache_hit_tokens ?? 0,
    cacheWriteTokens: prompt.cache_write_tokens ?? 0,
    outputTokens: reasoningBeside(json, reasoning)
      ? (json.completion_tokens as number) + (reasoning as number)
      : json.completion_tokens,
    reasoningTokens: reasoning,
  } as Usage;
  const usage = withDetails(counts, readDetails(json, { prompt, completion, tier }));
  return plausibleUsage(usage) ? usage : null;
}

/** With xAI the reasoning is not part of the completion, which only the total shows. */
function reasoningBeside(json: Json, reasoning: unknown): boolean {
  if (typeof reasoning !== 'number' || reasoning <= 0) return false;
  const { prompt_tokens, completion_tokens, total_tokens } = json as Record<string, number>;
  return total_tokens === (prompt_tokens as number) + (completion_tokens as number) + reasoning;
}

function readDetails(
  json: Json,
  { prompt, completion, tier }: { prompt: Json; completion: Json; tier: unknown },
): UsageDetails | undefined {
  return usageDetails({
    imageInputTokens: prompt.image_tokens,
    audioInputTokens: prompt.audio_tokens,
    imageOutputTokens: completion.image_tokens,
    audioOutputTokens: completion.audio_tokens,
    acceptedPredictionTokens: completion.accepted_prediction_tokens,
    rejectedPredictionTokens: completion.rejected_prediction_tokens,
    tools: { web_search: objectOf(json.server_tool_use).web_search_requests },
    tier: servedTier(tier),
    unknown: unknownCounts(json, knownFields),
  });
}

const knownFields: KnownFields = {
  prompt_tokens: true,
  completion_tokens: true,
  total_tokens: true,
  prompt_tokens_details: {
    cached_tokens: true,
    cache_write_tokens: true,
    text_tokens: true,
    image_tokens: true,
    audio_tokens: true,
  },
  completion_tokens_details: {
    reasoning_tokens: true,
    text_tokens: true,
    image_tokens: true,
    audio_tokens: true,
    accepted_prediction_tokens: true,
    rejected_prediction_tokens: true,
  },
  server_tool_use: { web_search_requests: true },
  // DeepSeek: both are part of the prompt.
  prompt_cache_hit_tokens: true,
  prompt_cache_miss_tokens: true,
  // Groq: seconds that it took.
  queue_time: true,
  prompt_time: true,
  completion_time: true,
  total_time: true,
  ...OWN_BILL,
};
