/** Writes usage in the responses format. */
import type { CacheWrites, Usage } from '../../../pricing/usage.ts';

/** The tiers beside the standard one that the format has a name for. */
const tiers = ['flex', 'scale', 'priority', 'fast', 'ultrafast'];

/** `service_tier`: null if the call was served in a tier that the format cannot name. A batch is no tier here. */
export function writeResponsesTier({ details }: Usage): string | null {
  const { tier = 'default' } = details ?? {};
  if (tier === 'default' || tier === 'batch') return 'default';
  return tiers.includes(tier) ? tier : null;
}

export function writeResponsesUsage(usage: Usage): Record<string, unknown> {
  const { cacheWrites } = usage.details ?? {};
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      ...(cacheWrites !== undefined && writeLifetimes(cacheWrites)),
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

/** The format has fields for these two lifetimes. */
function writeLifetimes(writes: CacheWrites): Record<string, unknown> {
  const [short = 0, long = 0] = [writes['30m'], writes['12h']];
  if (short + long === 0) return {};
  return { cache_write_tokens_details: { ttl_30m_tokens: short, ttl_12h_tokens: long } };
}
