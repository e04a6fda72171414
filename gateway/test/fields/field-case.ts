/** One field of a format, and what becomes of it in every place that a call may go to. */
import { isDeepStrictEqual } from 'node:util';
import type { Format } from '../matrix/ask.ts';
import type { Difference } from './difference.ts';
import type { Place, PlaceName } from './places.ts';

export type Json = Readonly<Record<string, unknown>>;

/**
 * `rejected`: by the gateway, with the caller's name of the field. `omitted`: the provider gets the same body as without
 * it. A text: the path under which the same value arrives. An object: the values that are new or differ, by their paths.
 */
export type Fate = string | Difference;
export const REJECTED = 'rejected';
export const OMITTED = 'omitted';
export const RELAYED = 'relayed';

export interface FieldCase {
  /** What the request has besides a prompt, with and without the field. */
  readonly beside?: Json;
  readonly said: Json;
  /** The value that a path stands for; without, the only one that is said. */
  readonly value?: unknown;
  /** The name in an error; without, the name of the case. */
  readonly param?: string;
  /** Why it is left out somewhere, or what it becomes. Every field that is left out has it. */
  readonly about?: string;
  readonly becomes: Readonly<Partial<Record<PlaceName, Fate>>>;
  /** A provider of the same format does not get it as it is. */
  readonly relayed?: Fate;
}

export type FieldCases = Readonly<Record<string, FieldCase>>;

/** Undefined: the declaration says nothing about this place. */
export function fateOf(
  field: FieldCase,
  format: Format,
  place: Place,
  all: readonly Place[],
): Fate | undefined {
  if (place.speaks.includes(format)) return field.relayed ?? RELAYED;
  const own = field.becomes[place.name];
  if (own !== undefined || place.like === undefined) return own;
  const like = all.find(({ name }) => name === place.like);
  // What a relay does says nothing about a translation.
  return like === undefined || like.speaks.includes(format) ? undefined : fateOf(field, format, like, all);
}

export function valueOf({ said, value }: FieldCase): unknown {
  return value ?? Object.values(said)[0];
}

/** The difference that a fate stands for. */
export function expectedOf(field: FieldCase, fate: Fate): Difference {
  if (typeof fate === 'object') return fate;
  return fate === OMITTED ? {} : { [fate]: valueOf(field) };
}

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}
