/** Reads single fields of a request; null is a field that is absent or null. */
import type { Json } from '../json.ts';
import { wrongType } from './refusals.ts';
import {
  aboveMaximum,
  belowMinimum,
  outOfRange,
  tooLong,
  unknownParameter,
  unsupportedValue,
  wrongName,
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

const TAG_CHARACTERS_MAX = 64;

/** A text that names the end user, which may not be long. */
export function readTag(body: Json, name: string): string | null {
  const value = readString(body, name);
  if (value !== null && value.length > TAG_CHARACTERS_MAX)
    throw tooLong(name, TAG_CHARACTERS_MAX, value.length);
  return value;
}

const NAME_CHARACTERS_MAX = 64;

/** The name of a function. */
export function checkName(name: string, at: string): void {
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) throw wrongName(at);
  if (name.length > NAME_CHARACTERS_MAX) throw tooLong(at, NAME_CHARACTERS_MAX, name.length);
}

export function readNumber(body: Json, name: string, most: number, least = 0): number | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number') throw wrongType(name, 'a decimal');
  if (value < least || value > most) throw outOfRange(name, least, most, value);
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
