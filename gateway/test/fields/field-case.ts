/** One field of a format, and where it arrives in every place that a call may go to. */
import type { Format } from '../matrix/ask.ts';
import { type Difference, differenceOf } from './difference.ts';
import { codeOf, type Place } from './places.ts';

export type Json = Readonly<Record<string, unknown>>;

/**
 * `rejected`: by the gateway, with the caller's name of the field. `omitted`: the provider gets the same body as without
 * it. Another text: the path at which the same value arrives. An object: the values that are new or differ, by their paths.
 */
export type Fate = string | Difference;
export const REJECTED = 'rejected';
export const OMITTED = 'omitted';

export interface FieldCase {
  /** What the request has besides a prompt, with and without the field. */
  readonly beside?: Json;
  readonly said: Json;
  /** The name in an error; without, the path of what is said. */
  readonly param?: string;
  /** Why it is left out, or what it becomes. Every field that is left out somewhere has it. */
  readonly about?: string;
  /**
   * By the name of a place. Without an entry, Azure and compatible servers get what `openai` gets, and vendors what
   * `openai-compatible` gets. `else` stands for all other places that do not speak the format.
   */
  readonly becomes: Readonly<Record<string, Fate>>;
  /** What a provider of the same format gets, if that is not the field as it was said. */
  readonly relayed?: Fate;
}

export type FieldCases = Readonly<Record<string, FieldCase>>;

const prompts: Readonly<Record<Format, Json>> = {
  chat: { messages: [{ role: 'user', content: 'Hello' }] },
  responses: { input: [{ role: 'user', content: 'Hello' }], store: false },
  messages: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 4_000 },
};

/** The call without the field, and with it. */
export function requestsOf(
  format: Format,
  { beside, said }: FieldCase,
  place: Place,
): { bare: Json; full: Json } {
  const bare = { model: codeOf(place), ...prompts[format], ...beside };
  return { bare, full: { ...bare, ...said } };
}

/** What is said, by its path in the request. */
export function saidBy(format: Format, field: FieldCase, place: Place): Difference {
  const { bare, full } = requestsOf(format, field, place);
  return differenceOf(bare, full);
}

/** The declared fate in the form in which it is observed; undefined: nothing is declared. */
export function expectedOf(format: Format, field: FieldCase, place: Place, all: readonly Place[]): unknown {
  const said = saidBy(format, field, place);
  const fate = fateOf(format, field, place, all);
  if (fate === undefined) return place.speaks.includes(format) ? said : undefined;
  if (fate === OMITTED) return {};
  const [path = '', ...more] = Object.keys(said);
  if (fate === REJECTED) return `rejected: ${field.param ?? path}`;
  if (typeof fate === 'object') return fate;
  return more.length > 0 ? 'a path stands for one value only' : { [fate]: said[path] };
}

/** Undefined: nothing is declared, which is right only where calls are relayed. */
export function fateOf(
  format: Format,
  field: FieldCase,
  place: Place,
  all: readonly Place[],
): Fate | undefined {
  const own = field.becomes[place.name];
  if (own !== undefined) return own;
  if (place.speaks.includes(format)) return field.relayed;
  const like = all.find(({ name }) => name === place.like);
  // What a relay does says nothing about a translation.
  return like === undefined || like.speaks.includes(format)
    ? field.becomes.else
    : fateOf(format, field, like, all);
}
