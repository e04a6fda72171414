/** Reads one price of a source. Pure. */
import { ConfigError } from '../../yaml/config-error.ts';
import { shiftDecimal } from './decimal-text.ts';
import { type Data, NumberText } from './parse-data.ts';

/** Null if it needs more places than a price sheet has: it is never rounded. */
export function readAmount(value: Data | undefined, places: number, path: string): string | null {
  const text = value instanceof NumberText ? value.text : value;
  if (typeof text !== 'string' || !/^(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(text))
    throw new ConfigError(`${path} must be a number that is not negative`);
  return shiftDecimal(text, places);
}
