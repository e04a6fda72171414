/** Markers for prompt caches, in the form that Anthropic introduced: `cache_control` on a block, a message or a tool. Pure. */
import { objectOf } from '../kernel/json/read-json.ts';
import type { CacheMarker } from './text-call.ts';

/** Empty if the value, such as a content block, has no marker. */
export function readCacheMarker(value: unknown): { cache?: CacheMarker } {
  const { type, ttl } = objectOf(objectOf(value).cache_control);
  if (type !== 'ephemeral') return {};
  return { cache: ttl === '1h' ? '1h' : '5m' };
}

export function writeCacheControl(cache: CacheMarker | undefined): object {
  if (cache === undefined) return {};
  // Five minutes is the default everywhere.
  return { cache_control: { type: 'ephemeral', ...(cache === '1h' && { ttl: cache }) } };
}
