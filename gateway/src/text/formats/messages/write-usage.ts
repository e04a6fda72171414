/** Writes usage in the messages format. */
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';

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
