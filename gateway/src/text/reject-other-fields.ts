/**
 * Objects inside a request: messages, parts, tools. A translation reads some of their fields and leaves out some that ask
 * for nothing; a field that is neither is rejected, naming it, because nothing is dropped silently. Pure.
 */
import type { Problem } from '../kernel/problem.ts';
import { cannotCarry, isUnset } from './reject-field.ts';

/** The fields of one kind of object. */
export interface ReadFields {
  readonly read: ReadonlySet<string>;
  /** Left out, because an answer had it and clients send it back, or because these values ask for nothing. */
  readonly omitted: Readonly<Record<string, (value: unknown) => boolean>>;
}

type Omitted = string | readonly [name: string, isHarmless: (value: unknown) => boolean];

export function readFields(read: string, ...omitted: readonly Omitted[]): ReadFields {
  const entries = omitted.flatMap((one) =>
    typeof one === 'string' ? one.split(' ').map((name) => [name, always] as const) : [one],
  );
  return { read: new Set(read.split(' ')), omitted: Object.fromEntries(entries) };
}

const always = (): boolean => true;

export function rejectOtherFields(
  given: object,
  { read, omitted }: ReadFields,
  { path, model }: { path: string; model: string },
  refuse: (param: string, model: string) => Problem = cannotCarry,
): void {
  for (const [name, value] of Object.entries(given)) {
    if (read.has(name) || isUnset(value) || value === false || omitted[name]?.(value)) continue;
    throw refuse(`${path}.${name}`, model);
  }
}

/** Says that a tool is called by the model itself and not by a program that the model wrote, as everywhere else. */
export function isDirect(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((caller) => caller === 'direct');
  return (value as { type?: unknown } | null)?.type === 'direct';
}
