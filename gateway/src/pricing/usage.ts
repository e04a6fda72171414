/** The usage of a call, in terms that do not depend on the provider. */
export interface Usage {
  /** All prompt tokens, including those read from or written to a cache. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** All generated tokens, including reasoning. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Generated images. */
  readonly images?: number;
  /** Absent in most calls, so that they cost no additional work. */
  readonly details?: UsageDetails;
}

/** How long a provider keeps what was written to its cache. */
export const cacheLifetimes = ['5m', '30m', '1h', '12h'] as const;
export type CacheLifetime = (typeof cacheLifetimes)[number];
export type CacheWrites = Readonly<Partial<Record<CacheLifetime, number>>>;

/** What else a provider counted, and under which conditions it served the call. */
export interface UsageDetails {
  /** Parts of `cacheWriteTokens`; the rest has no known lifetime. */
  readonly cacheWrites?: CacheWrites;
  /** Parts of `inputTokens`. */
  readonly imageInputTokens?: number;
  readonly audioInputTokens?: number;
  /** Parts of `cachedInputTokens` and of the two above. */
  readonly cachedImageInputTokens?: number;
  readonly cachedAudioInputTokens?: number;
  /** Parts of `outputTokens`. */
  readonly imageOutputTokens?: number;
  readonly audioOutputTokens?: number;
  /** Within the output, and not priced apart. */
  readonly acceptedPredictionTokens?: number;
  readonly rejectedPredictionTokens?: number;
  /** Billable calls of tools that the provider runs, by kind. */
  readonly tools?: Readonly<Record<string, number>>;
  /** The service tier of the answer, unless it is the provider's standard one. */
  readonly tier?: string;
  /** Where the call was served, if that changes the price. */
  readonly geo?: string;
  /** The length that counts for context tiers, if it is not `inputTokens`. */
  readonly contextTokens?: number;
  /** Counts of the provider that have no meaning here, by their path in its usage. They make the call unpriced. */
  readonly unknown?: Readonly<Record<string, number>>;
}

/** For a call whose tokens are unknown: only images and other counts can be priced. */
export const NO_TOKENS: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Who counted the usage: the provider, or we (`estimated`). `none`: nothing was produced. */
export type UsageSource = 'provider' | 'estimated' | 'none';

/** Rejects wrong numbers of a provider: a part above its whole, fractions, negative or absurd counts. */
export function plausibleUsage(usage: Usage): boolean {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens, details } = usage;
  return (
    plausibleCount(inputTokens) &&
    plausibleCount(cachedInputTokens) &&
    plausibleCount(cacheWriteTokens) &&
    plausibleCount(outputTokens) &&
    plausibleCount(reasoningTokens) &&
    plausibleCount(usage.images ?? 0) &&
    cachedInputTokens + cacheWriteTokens <= inputTokens &&
    reasoningTokens <= outputTokens &&
    (details === undefined || plausibleDetails(usage, details))
  );
}

function plausibleDetails(usage: Usage, details: UsageDetails): boolean {
  const { imageInputTokens: image = 0, audioInputTokens: audio = 0 } = details;
  const { cachedImageInputTokens: cachedImage = 0, cachedAudioInputTokens: cachedAudio = 0 } = details;
  const { imageOutputTokens: madeImage = 0, audioOutputTokens: madeAudio = 0 } = details;
  const { acceptedPredictionTokens: accepted = 0, rejectedPredictionTokens: rejected = 0 } = details;
  const writes = Object.values(details.cacheWrites ?? {});
  const counts = [image, audio, cachedImage, cachedAudio, madeImage, madeAudio, accepted, rejected];
  const tools = Object.values(details.tools ?? {});
  return (
    [...counts, ...writes, ...tools, details.contextTokens ?? 0].every(plausibleCount) &&
    writes.reduce((sum, count) => sum + count, 0) <= usage.cacheWriteTokens &&
    image + audio <= usage.inputTokens &&
    cachedImage <= image &&
    cachedAudio <= audio &&
    cachedImage + cachedAudio <= usage.cachedInputTokens &&
    usage.reasoningTokens + madeImage + madeAudio <= usage.outputTokens &&
    accepted + rejected <= usage.outputTokens
  );
}

function plausibleCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count <= TOKENS_MAX;
}

/** No call comes near this; a higher number is a mistake of the provider. */
const TOKENS_MAX = 1_000_000_000;
