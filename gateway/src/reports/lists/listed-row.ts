/** The rows of lists: the fields of the answer, with times as the database has them. */
import type { OperationName, ResultOf } from '../../contract/administration/admin-endpoints.ts';
import type { Instant } from '../../kernel/time.ts';

export type TimeField = 'at' | `${string}_at` | `${string}_until`;

/** What an answer shows, before its times are written in KST. */
type Stored<Shown> = {
  readonly [Field in keyof Shown]: Field extends TimeField
    ? Instant | Extract<Shown[Field], null>
    : Shown[Field];
};

/** A row of the list that an operation answers. */
export type ListedRow<Name extends OperationName> =
  ResultOf<Name> extends { data: ReadonlyArray<infer Item> } ? Stored<Item> : never;
