/** Writes usage in the messages format. */
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';

/**
 * `service_tier` and `speed` of the usage, which are one tier here (`priority_fast` is both). Null if the call was served
 * in a tier that the format cannot name.
 */
export function writeMessagesTier({ details }: Usage): { service_tier: string | null; speed?: string } {
  const { tier = 'standard' } = details ?? {};
  if (tier === 'fast') return { service_tier: 'standard', speed: 'fast' };
  if (tier === 'priority_fast') return { service_tier: 'priority', speed: 'fast' };
  return { service_tier: ['standard', 'priority', 'batch'].includes(tier) ? tier : null };
}

export function writeMessagesUsage(usage: Usage): Record<string, unknown> {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens, details } = usage;
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
    ...(reasoningTokens > 0 && { output_tokens_details: { thinking_tokens: reasoningTokens } }),
    ...(details !== undefined && writeDetails(details)),
  };
}

/** The format has fields for these two lifetimes and for searches. */
function writeDetails({ cacheWrites, tools }: UsageDetails): Record<string, unknown> {
  const [short = 0, long = 0] = [cacheWrites?.['5m'], cacheWrites?.['1h']];
  const { web_search: searches } = tools ?? {};
  return {
    ...(short + long > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
    }),
    ...(searches !== undefined && {
      server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
    }),
  };
}
