/**
 * Objects inside a request: messages, parts, tools. Of what a caller asks with, every field is read, omitted on purpose, or
 * rejected by its name, because nothing is dropped silently. Of earlier answers, which clients send back as they got them
 * and providers add to every month, only fields are rejected that would change their meaning. Pure.
 */
import type { Problem } from '../kernel/problem.ts';
import { cannotCarry, isUnset } from './reject-field.ts';

/** One kind of object. */
export interface ReadFields {
  refuses(name: string, value: unknown): boolean;
}

/** A field, and the values of it that ask for nothing; the name alone stands for any value. */
type Harmless = string | readonly [name: string, asksNothing: (value: unknown) => boolean];

/** What a caller writes: any other field is refused. Names are separated by blanks. */
export function askedFields(read: string, ...omitted: readonly Harmless[]): ReadFields {
  const known = new Map([...entries(read), ...omitted.flatMap(entries)]);
  return { refuses: (name, value) => !known.get(name)?.(value) };
}

/** What a model answered: these fields are refused. */
export function answeredFields(...refused: readonly Harmless[]): ReadFields {
  const known = new Map(
    refused.flatMap((one) => (typeof one === 'string' ? [[one, never] as const] : [one])),
  );
  return { refuses: (name, value) => known.get(name)?.(value) === false };
}

function entries(harmless: Harmless): ReadonlyArray<readonly [string, (value: unknown) => boolean]> {
  return typeof harmless === 'string'
    ? harmless.split(' ').map((name) => [name, always] as const)
    : [harmless];
}

const always = (): boolean => true;
const never = (): boolean => false;

export function rejectOtherFields(
  given: object,
  kind: ReadFields | undefined,
  { path, model }: { path: string; model: string },
  refuse: (param: string, model: string) => Problem = cannotCarry,
): void {
  if (kind === undefined) return;
  for (const [name, value] of Object.entries(given)) {
    if (isUnset(value) || value === false || !kind.refuses(name, value)) continue;
    throw refuse(`${path}.${name}`, model);
  }
}

/** Says that a tool is called by the model itself and not by a program that the model wrote, as everywhere else. */
export function isDirect(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((caller) => caller === 'direct');
  return (value as { type?: unknown } | null)?.type === 'direct';
}
