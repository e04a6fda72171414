/** What a call used, in the neutral words that prices are written for. */
export interface Usage {
  /** All prompt tokens, those read from or written to a cache included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** All generated tokens, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Prompt tokens that are images, among all of them, where they have a price of their own. */
  readonly imageInputTokens?: number;
  /** Images that were made. */
  readonly images?: number;
}

/** Of a call whose tokens nobody told: only what has another price can be priced. */
export const NO_TOKENS: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Where the numbers came from. An estimate is always labelled; `none` means nothing was produced. */
export type UsageSource = 'provider' | 'estimated' | 'none';

/** A provider's numbers can lie: parts never exceed their whole, counts are whole and not negative. */
export function plausibleUsage(usage: Usage): boolean {
  return (
    Object.values(usage).every((count) => Number.isSafeInteger(count) && count >= 0 && count <= TOKENS_MAX) &&
    usage.cachedInputTokens + usage.cacheWriteTokens + (usage.imageInputTokens ?? 0) <= usage.inputTokens &&
    usage.reasoningTokens <= usage.outputTokens
  );
}

/** No single call comes near this; a number above it is a provider's mistake, not a bill. */
const TOKENS_MAX = 1_000_000_000;
