/** Reads the usage of a response. Null when it is missing or cannot be true. */

import { isObject, type Json, listOf, objectOf } from '../../../json/read-json.ts';
import { plausibleUsage, type Usage, type UsageDetails } from '../../../pricing/usage.ts';
import {
  type KnownFields,
  OWN_BILL,
  servedTier,
  unknownCounts,
  usageDetails,
  withDetails,
} from '../../../pricing/usage-details.ts';
import { countTools, imageToolFields } from './count-tools.ts';

/** `response` is the whole object; `output` its items, for streams whose last event does not repeat them. */
export function readResponsesUsage(response: unknown, output?: readonly Json[]): Usage | null {
  const { usage: json, ...rest } = objectOf(response);
  if (!isObject(json)) return null;
  const input = objectOf(json.input_tokens_details);
  const made = objectOf(json.output_tokens_details);
  const counts = {
    inputTokens: json.input_tokens,
    cachedInputTokens: input.cached_tokens ?? 0,
    cacheWriteTokens: input.cache_write_tokens ?? 0,
    outputTokens: json.output_tokens,
    reasoningTokens: made.reasoning_tokens ?? 0,
  } as Usage;
  const items = output ?? listOf(rest.output);
  const usage = withDetails(counts, readDetails({ json, input, made, rest, items }));
  return plausibleUsage(usage) ? usage : null;
}

/** What a response shows of its tools and its tier, if its usage is missing or cannot be true. */
export function seenResponsesDetails(response: unknown, items: readonly Json[]): UsageDetails | undefined {
  const { tool_usage, service_tier } = objectOf(response);
  return usageDetails({
    tools: countTools(items, objectOf(tool_usage)),
    tier: servedTier(service_tier),
    unknown: unknownCounts(objectOf(tool_usage), knownTools, 'tool_usage'),
  });
}

interface ReadParts {
  readonly json: Json;
  readonly input: Json;
  readonly made: Json;
  /** The response without its usage. */
  readonly rest: Json;
  readonly items: readonly Json[];
}

function readDetails({ json, input, made, rest, items }: ReadParts): UsageDetails | undefined {
  const written = objectOf(input.cache_write_tokens_details);
  const toolUsage = objectOf(rest.tool_usage);
  return usageDetails({
    cacheWrites: { '30m': written.ttl_30m_tokens, '12h': written.ttl_12h_tokens },
    imageInputTokens: input.image_tokens,
    audioInputTokens: input.audio_tokens,
    imageOutputTokens: made.image_tokens,
    audioOutputTokens: made.audio_tokens,
    tools: countTools(items, toolUsage),
    tier: servedTier(rest.service_tier),
    unknown: { ...unknownCounts(json, knownFields), ...unknownCounts(toolUsage, knownTools, 'tool_usage') },
  });
}

const knownFields: KnownFields = {
  input_tokens: true,
  output_tokens: true,
  total_tokens: true,
  input_tokens_details: {
    cached_tokens: true,
    cache_write_tokens: true,
    cache_write_tokens_details: { ttl_30m_tokens: true, ttl_12h_tokens: true },
    text_tokens: true,
    image_tokens: true,
    audio_tokens: true,
  },
  output_tokens_details: {
    reasoning_tokens: true,
    text_tokens: true,
    image_tokens: true,
    audio_tokens: true,
  },
  ...OWN_BILL,
};

const knownTools: KnownFields = { web_search: { num_requests: true }, image_gen: imageToolFields };
