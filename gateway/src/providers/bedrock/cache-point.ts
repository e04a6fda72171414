/** Markers for Bedrock's prompt cache: blocks of their own, behind what the cache should keep. Pure. */
import type { CacheMarker } from '../../text/text-call.ts';

/** Other models reject the markers. */
const CACHES = /(?:^|[./])(?:anthropic\.|amazon\.nova)/;

export function takesCachePoints(upstreamModel: string): boolean {
  return CACHES.test(upstreamModel);
}

/** Nothing, or one block. */
export function cachePoint(cache: CacheMarker | undefined): object[] {
  if (cache === undefined) return [];
  // Five minutes is the default.
  return [{ cachePoint: { type: 'default', ...(cache === '1h' && { ttl: cache }) } }];
}
