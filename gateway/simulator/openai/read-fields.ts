/** Reads single fields of a request; null is a field that is absent or null. */
import type { Json } from '../json.ts';
import { wrongType } from './refusals.ts';
import {
  aboveMaximum,
  belowMinimum,
  outOfRange,
  unknownParameter,
  unsupportedValue,
} from './responses-refusals.ts';

export function readFlag(body: Json, name: string): boolean | null {
  const value = body[name] ?? null;
  if (value !== null && typeof value !== 'boolean') throw wrongType(name, 'a boolean');
  return value;
}

export function readString(body: Json, name: string): string | null {
  const value = body[name] ?? null;
  if (value !== null && typeof value !== 'string') throw wrongType(name, 'a string');
  return value;
}

export function readNumber(body: Json, name: string, most: number): number | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number') throw wrongType(name, 'a decimal');
  if (value < 0 || value > most) throw outOfRange(name, 0, most, value);
  return value;
}

export function readOne(body: Json, name: string, supported: readonly string[], within = ''): string | null {
  const value = body[name] ?? null;
  if (value !== null && !supported.includes(value as string)) {
    throw unsupportedValue(within + name, value, supported);
  }
  return value as string | null;
}

export function readInteger(
  body: Json,
  name: string,
  { least, most = Number.MAX_SAFE_INTEGER }: { least: number; most?: number },
): number | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(name, 'an integer');
  if (value < least) throw belowMinimum(name, least, value);
  if (value > most) throw aboveMaximum(name, most, value);
  return value;
}

export function checkFields(body: Json, known: readonly string[]): void {
  for (const name of Object.keys(body)) if (!known.includes(name)) throw unknownParameter(name);
}
