/** Markers for the cache change nothing: a prompt is cached with and without them. */
import { type Json, record } from '../json.ts';
import type { Maker } from './makers.ts';
import { invalid } from './refusals.ts';

/** Throws for a marker that is malformed, or that the model does not take. */
export function isCachePoint(block: Json | null, { name, caches }: Maker, amongTools = false): boolean {
  if (block?.cachePoint === undefined) return false;
  const { type, ttl } = record(block.cachePoint) ?? {};
  if (type !== 'default' || ![undefined, '5m', '1h'].includes(ttl as string | undefined)) {
    throw invalid('The value at cachePoint is not valid.');
  }
  const short = name === 'amazon' && (amongTools || ttl === '1h');
  if (!caches || short) throw invalid('This model does not support this cache point.');
  return true;
}
