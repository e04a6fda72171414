/** Reads Bedrock's token counts. Null when they are missing or cannot be true. Pure. */

import { isObject, type Json, listOf, objectOf } from '../../json/read-json.ts';
import { cacheLifetimes, plausibleUsage, type Usage, type UsageDetails } from '../../pricing/usage.ts';
import {
  type KnownFields,
  servedTier,
  unknownCounts,
  usageDetails,
  withDetails,
} from '../../pricing/usage-details.ts';

/** `answer` is the answer, or the event `metadata` of a stream. Cached tokens are beside the input tokens. */
export function readBedrockUsage(answer: unknown): Usage | null {
  const { usage: json, serviceTier } = objectOf(answer);
  if (!isObject(json)) return null;
  const cachedInputTokens = (json.cacheReadInputTokens ?? 0) as number;
  const cacheWriteTokens = (json.cacheWriteInputTokens ?? 0) as number;
  const counts: Usage = {
    inputTokens: (json.inputTokens as number) + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: json.outputTokens as number,
    // Reasoning is part of the output; Bedrock does not report it separately.
    reasoningTokens: 0,
  };
  const details = usageDetails({
    cacheWrites: readLifetimes(json),
    tier: servedTier(objectOf(serviceTier).type),
    unknown: unknownCounts(json, knownFields),
  });
  const usage = withDetails(counts, details);
  return plausibleUsage(usage) ? usage : null;
}

/** What an answer without counts shows: its tier. */
export function seenBedrockDetails(answer: unknown): UsageDetails | undefined {
  return usageDetails({ tier: servedTier(objectOf(objectOf(answer).serviceTier).type) });
}

/** Other lifetimes than the known ones are part of the writes without one. */
function readLifetimes({ cacheDetails }: Json): Record<string, number> | undefined {
  if (!Array.isArray(cacheDetails)) return undefined;
  const written: Record<string, number> = {};
  for (const { ttl, inputTokens } of listOf(cacheDetails)) {
    const lifetime = cacheLifetimes.find((known) => known === ttl);
    if (lifetime !== undefined) written[lifetime] = (written[lifetime] ?? 0) + (inputTokens as number);
  }
  return written;
}

const knownFields: KnownFields = {
  inputTokens: true,
  outputTokens: true,
  totalTokens: true,
  cacheReadInputTokens: true,
  cacheWriteInputTokens: true,
  cacheDetails: true,
  // Older names of the same two counts.
  cacheReadInputTokenCount: true,
  cacheWriteInputTokenCount: true,
};
