/**
 * Markers for prompt caches: `cache_control` on a block, a message or a tool, as Anthropic introduced it, and
 * `prompt_cache_breakpoint` on a part, which OpenAI has. Pure.
 */
import { objectOf } from '../json/read-json.ts';
import type { CacheMarker } from './text-call.ts';

/** Empty if the value, such as a content block, has no marker. */
export function readCacheMarker(value: unknown): { cache?: CacheMarker } {
  const { cache_control: control, prompt_cache_breakpoint: breakpoint } = objectOf(value);
  const { type, ttl } = objectOf(control);
  if (type === 'ephemeral') return { cache: ttl === '1h' ? '1h' : '5m' };
  const { mode, ttl: least } = objectOf(breakpoint);
  if (mode !== 'explicit') return {};
  return { cache: least === '30m' || least === '12h' ? least : 'breakpoint' };
}

export function writeCacheControl(cache: CacheMarker | undefined): object {
  if (cache === undefined) return {};
  // Five minutes is the default everywhere.
  return { cache_control: { type: 'ephemeral', ...(isLong(cache) && { ttl: '1h' }) } };
}

/** Whether it should last longer than the five minutes that every provider has; an hour is the other choice. */
export function isLong(cache: CacheMarker): boolean {
  return cache === '1h' || cache === '30m' || cache === '12h';
}

/** Whether it was written in a format of OpenAI's. */
export function isBreakpoint(cache: CacheMarker | undefined): cache is 'breakpoint' | '30m' | '12h' {
  return cache !== undefined && cache !== '5m' && cache !== '1h';
}

/** Models before GPT-5.6 have no breakpoints, so other markers do not become one. */
export function writeBreakpoint(cache: CacheMarker | undefined): object {
  if (!isBreakpoint(cache)) return {};
  return {
    prompt_cache_breakpoint: { mode: 'explicit', ...(cache !== 'breakpoint' && { ttl: cache }) },
  };
}
