/** The usage of a call, in terms that do not depend on the provider. */
export interface Usage {
  /** All prompt tokens, including those read from or written to a cache. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** All generated tokens, including reasoning. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** The part of the prompt tokens that are images, where images have their own price. */
  readonly imageInputTokens?: number;
  /** Generated images. */
  readonly images?: number;
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
  return (
    Object.values(usage).every((count) => Number.isSafeInteger(count) && count >= 0 && count <= TOKENS_MAX) &&
    usage.cachedInputTokens + usage.cacheWriteTokens + (usage.imageInputTokens ?? 0) <= usage.inputTokens &&
    usage.reasoningTokens <= usage.outputTokens
  );
}

/** No call comes near this; a higher number is a mistake of the provider. */
const TOKENS_MAX = 1_000_000_000;
