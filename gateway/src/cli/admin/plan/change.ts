/** What a plan is made of: changes, each with the operations that make it, and what differs but is left alone. Pure. */
import type { InputOf, OperationName } from '../../../contract/administration/admin-endpoints.ts';
import type { Mistake } from './read-state-file.ts';

export type Subject =
  | 'space'
  | 'member'
  | 'key'
  | 'workload'
  | 'grant'
  | 'alias'
  | 'budget'
  | 'project'
  | 'project ids';

export interface FieldChange {
  readonly field: string;
  /** Left out where the subject is new. */
  readonly before?: unknown;
  readonly after: unknown;
}

export interface Change {
  readonly action: 'create' | 'update' | 'remove';
  readonly subject: Subject;
  readonly space: string;
  readonly name: string;
  readonly fields: readonly FieldChange[];
  /** Carried out in this order. If one fails, the next apply continues with what is left. */
  readonly steps: readonly ChangeStep[];
}

export type ChangeStep = {
  [Name in OperationName]: { readonly operation: Name; readonly input: InputOf<Name> };
}[OperationName];

/** Something that the file does not describe, or that cannot be changed to what it says. */
export interface Drift {
  readonly subject: Subject;
  readonly space: string;
  readonly name: string;
  readonly why: string;
}

export interface Plan {
  readonly changes: readonly Change[];
  readonly drift: readonly Drift[];
  /** Why the file cannot be applied. */
  readonly mistakes: readonly Mistake[];
}

export function step<Name extends OperationName>(operation: Name, input: InputOf<Name>): ChangeStep {
  return { operation, input } as ChangeStep;
}

/** The fields of the entry that differ. A field that is left out stays as it is. */
export function differing<Entry extends object>(
  entry: Entry,
  current: { readonly [Field in keyof Entry]?: unknown },
  fields: ReadonlyArray<keyof Entry & string>,
): FieldChange[] {
  return fields
    .filter((field) => entry[field] !== undefined && !isSame(entry[field], current[field]))
    .map((field) => ({ field, before: current[field], after: entry[field] }));
}

/** For something new: its fields without what they were. */
export function given<Entry extends object>(
  entry: Entry,
  fields: ReadonlyArray<keyof Entry & string>,
): FieldChange[] {
  return fields
    .filter((field) => entry[field] !== undefined)
    .map((field) => ({ field, after: entry[field] }));
}

export function notInFile(subject: Subject, space: string, names: readonly string[]): Drift[] {
  return names.map((name) => ({ subject, space, name, why: 'not in the file' }));
}

/** The order of a list does not matter. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return JSON.stringify(a.toSorted()) === JSON.stringify(b.toSorted());
  return a === b;
}
