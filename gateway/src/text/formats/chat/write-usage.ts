/** Writes usage in the chat format. */
import type { Usage } from '../../../pricing/usage.ts';

/** The tiers beside the standard one that the format has a name for. */
const tiers = ['flex', 'scale', 'priority', 'fast'];

/** `service_tier`: null if the call was served in a tier that the format cannot name. A batch is no tier here. */
export function writeChatTier(usage: Usage | null): string | null {
  const { tier = 'default' } = usage?.details ?? {};
  if (tier === 'default' || tier === 'batch') return 'default';
  return tiers.includes(tier) ? tier : null;
}

export function writeChatUsage(usage: Usage): Record<string, unknown> {
  const { details, cacheWriteTokens } = usage;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
      ...(details?.audioInputTokens !== undefined && { audio_tokens: details.audioInputTokens }),
      ...(details?.imageInputTokens !== undefined && { image_tokens: details.imageInputTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      ...(details?.audioOutputTokens !== undefined && { audio_tokens: details.audioOutputTokens }),
      ...(details?.imageOutputTokens !== undefined && { image_tokens: details.imageOutputTokens }),
      ...(details?.acceptedPredictionTokens !== undefined && {
        accepted_prediction_tokens: details.acceptedPredictionTokens,
      }),
      ...(details?.rejectedPredictionTokens !== undefined && {
        rejected_prediction_tokens: details.rejectedPredictionTokens,
      }),
    },
  };
}
