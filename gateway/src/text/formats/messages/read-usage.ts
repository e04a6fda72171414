/**
 * Reads the usage of a message. Null when it is missing or cannot be true. `input_tokens` excludes cached
 * tokens in this format.
 */

import { isObject, type Json, listOf, objectOf } from '../../../json/read-json.ts';
import { plausibleUsage, type Usage, type UsageDetails } from '../../../pricing/usage.ts';
import {
  type KnownFields,
  servedGeo,
  servedTier,
  unknownCounts,
  usageDetails,
  withDetails,
} from '../../../pricing/usage-details.ts';

export function readMessagesUsage(json: unknown): Usage | null {
  if (!isObject(json)) return null;
  // A compaction is billed, but not part of the other counts.
  const compactions = listOf(json.iterations).filter(({ type }) => type === 'compaction');
  const counted = [json, ...compactions];
  const cachedInputTokens = sumOf(counted, cacheReads);
  const cacheWriteTokens = sumOf(counted, cacheWrites);
  const counts = {
    inputTokens: sumOf(counted, ({ input_tokens }) => input_tokens) + cachedInputTokens + cacheWriteTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: sumOf(counted, ({ output_tokens }) => output_tokens),
    reasoningTokens: (objectOf(json.output_tokens_details).thinking_tokens ?? 0) as number,
  };
  const usage = withDetails(counts, readDetails(json, counted));
  return plausibleUsage(usage) ? usage : null;
}

const cacheReads = ({ cache_read_input_tokens }: Json): unknown => cache_read_input_tokens ?? 0;
const cacheWrites = ({ cache_creation_input_tokens }: Json): unknown => cache_creation_input_tokens ?? 0;

/** Not a number if one of the counts is none. */
function sumOf(parts: readonly Json[], count: (part: Json) => unknown): number {
  if (parts.length === 1) return count(parts[0] as Json) as number;
  return parts.reduce((sum, part) => {
    const value = count(part);
    return sum + (typeof value === 'number' ? value : Number.NaN);
  }, 0);
}

function readDetails(json: Json, counted: readonly Json[]): UsageDetails | undefined {
  const written = (lifetime: string) =>
    sumOf(counted, ({ cache_creation }) => objectOf(cache_creation)[lifetime] ?? 0);
  return usageDetails({
    cacheWrites: {
      '5m': written('ephemeral_5m_input_tokens'),
      '1h': written('ephemeral_1h_input_tokens'),
    },
    tools: { web_search: objectOf(json.server_tool_use).web_search_requests },
    tier: readTier(json),
    geo: servedGeo(json.inference_geo),
    // The length is that of the message: a compaction has its own.
    contextTokens: counted.length > 1 ? contextOf(json) : undefined,
    unknown: { ...unknownCounts(json, knownFields), ...unknownIterations(json.iterations) },
  });
}

function contextOf(json: Json): number {
  return (
    sumOf([json], ({ input_tokens }) => input_tokens) +
    (cacheReads(json) as number) +
    (cacheWrites(json) as number)
  );
}

/** The speed changes the price as a tier does. */
function readTier({ service_tier, speed }: Json): string | undefined {
  const [tier, fast] = [servedTier(service_tier), servedTier(speed)];
  return tier !== undefined && fast !== undefined ? `${tier}_${fast}` : (tier ?? fast);
}

const counts: KnownFields = {
  input_tokens: true,
  cache_read_input_tokens: true,
  cache_creation_input_tokens: true,
  cache_creation: { ephemeral_5m_input_tokens: true, ephemeral_1h_input_tokens: true },
  output_tokens: true,
  // Part of the output.
  output_tokens_details: { thinking_tokens: true },
};

const knownFields: KnownFields = {
  ...counts,
  // Fetching pages is free.
  server_tool_use: { web_search_requests: true, web_fetch_requests: true },
  iterations: true,
};

/** Iterations of messages are part of the counts at the top; those of other kinds have no known price. */
function unknownIterations(iterations: unknown): Record<string, number> | undefined {
  if (!Array.isArray(iterations)) return undefined;
  const unknown = listOf(iterations).map((entry) => {
    const type = typeof entry.type === 'string' ? entry.type : 'other';
    const known = type === 'message' || type === 'compaction' ? counts : {};
    return unknownCounts({ [type]: entry }, { [type]: known }, 'iterations');
  });
  return Object.assign({}, ...unknown) as Record<string, number>;
}

/** The counts in the events of one stream, for the relay and the translation alike. */
export class StreamedUsage {
  #soFar: unknown = null;
  #final: unknown = null;

  /** The usage of `message_start`. */
  start(usage: unknown): void {
    this.#soFar = usage ?? null;
  }

  /** The usage of a `message_delta`; with or after the stop reason it is final. */
  add(usage: unknown, isFinal: boolean): void {
    if (!isObject(usage)) return;
    if (isFinal) this.#final = mergeUsageJson(this.#final ?? this.#soFar, usage);
    else this.#soFar = mergeUsageJson(this.#soFar, usage);
  }

  get finalJson(): unknown {
    return this.#final;
  }

  /** Null when there is none, or it cannot be true. */
  get final(): Usage | null {
    return readMessagesUsage(this.#final);
  }

  /** What was reported before the end; it stays as it is when the final usage cannot be true. */
  get soFar(): Usage | null {
    return readMessagesUsage(this.#soFar);
  }
}

/** Later counts are cumulative; a count that a later event omits keeps its value. */
function mergeUsageJson(before: unknown, after: Json): unknown {
  const present = Object.entries(after).filter(([, value]) => value !== null);
  return { ...objectOf(before), ...Object.fromEntries(present) };
}
