/** Splits usage into disjoint counts by component, which add up to its tokens. Pure. */
import type { TokenComponent } from '../contract/price-components.ts';
import type { TokenPrices } from './model-price.ts';
import { cacheLifetimes, type Usage, type UsageDetails } from './usage.ts';

export type TokenCount = readonly [TokenComponent, number];

/**
 * The input in the order in which receipts list it. `prices` decide only whether written tokens are listed by
 * lifetime: a lifetime without its own price is listed as `cache_write`.
 */
export function inputCounts(usage: Usage, prices: TokenPrices): TokenCount[] {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, details } = usage;
  const plain = inputTokens - cachedInputTokens - cacheWriteTokens;
  if (details === undefined) {
    return [
      ['input', plain],
      ['cached_input', cachedInputTokens],
      ['cache_write', cacheWriteTokens],
    ];
  }
  const media = mediaCounts(usage, details, plain);
  return [
    ['input', plain - media.image - media.audio],
    ['image_input', media.image],
    ['audio_input', media.audio],
    ['cached_input', cachedInputTokens - media.cachedImage - media.cachedAudio],
    ['cached_image_input', media.cachedImage],
    ['cached_audio_input', media.cachedAudio],
    ...writeCounts(cacheWriteTokens, details, prices),
  ];
}

/** Image tokens without their own price are listed as `output`. */
export function outputCounts(
  { outputTokens, reasoningTokens, details }: Usage,
  prices: TokenPrices,
): TokenCount[] {
  const { imageOutputTokens = 0, audioOutputTokens: audio = 0 } = details ?? {};
  const image = prices.image_output === undefined ? 0 : imageOutputTokens;
  return [
    ['output', outputTokens - reasoningTokens - image - audio],
    ['image_output', image],
    ['audio_output', audio],
    ['reasoning', reasoningTokens],
  ];
}

/**
 * Providers seldom report how many of the cached tokens are images or audio. Those that do not fit into the rest of
 * the prompt must have been cached; those that fit into neither were written to the cache.
 */
function mediaCounts(usage: Usage, details: UsageDetails, plain: number) {
  const { imageInputTokens = 0, audioInputTokens = 0 } = details;
  const { cachedImageInputTokens = 0, cachedAudioInputTokens = 0 } = details;
  const audio = Math.min(audioInputTokens - cachedAudioInputTokens, plain);
  const image = Math.min(imageInputTokens - cachedImageInputTokens, plain - audio);
  const audioRoom = usage.cachedInputTokens - cachedImageInputTokens;
  const cachedAudio = Math.min(audioInputTokens - audio, audioRoom);
  const cachedImage = Math.min(imageInputTokens - image, usage.cachedInputTokens - cachedAudio);
  return { image, audio, cachedImage, cachedAudio };
}

function writeCounts(all: number, { cacheWrites = {} }: UsageDetails, prices: TokenPrices): TokenCount[] {
  const counts: TokenCount[] = [];
  let rest = all;
  for (const lifetime of cacheLifetimes) {
    const count = cacheWrites[lifetime] ?? 0;
    const component = `cache_write_${lifetime}` as const;
    if (count === 0 || prices[component] === undefined) continue;
    counts.push([component, count]);
    rest -= count;
  }
  return [['cache_write', rest], ...counts];
}
