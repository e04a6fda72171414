/** Markers for Bedrock's prompt cache: blocks of their own, behind what the cache should keep. Pure. */
import { isLong } from '../../text/cache-marker.ts';
import type { CacheMarker } from '../../text/text-call.ts';
import type { BedrockFamily } from './model-family.ts';

/** Nothing, or one block. */
export type CachePoint = (cache: CacheMarker | undefined) => object[];

const noPoint: CachePoint = () => [];
const shortPoint: CachePoint = (cache) => (cache === undefined ? [] : [{ cachePoint: { type: 'default' } }]);
/** Five minutes is the default. */
const claudePoint: CachePoint = (cache) =>
  cache !== undefined && isLong(cache) ? [{ cachePoint: { type: 'default', ttl: '1h' } }] : shortPoint(cache);

/** Other models reject the markers. Nova keeps prompts for five minutes, and takes no markers among its tools. */
export function cachePoints(family: BedrockFamily): { point: CachePoint; toolPoint: CachePoint } {
  if (family === 'claude') return { point: claudePoint, toolPoint: claudePoint };
  return { point: family === 'nova' ? shortPoint : noPoint, toolPoint: noPoint };
}
