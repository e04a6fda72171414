/** SQL with separate values: sql`select * from keys where id = ${id}` is safe from injection. */
import { storable, storableJson } from '../kernel/storable-text.ts';

export type SqlValue = string | number | boolean | null | readonly string[];

export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** After this long without an answer the connection counts as lost; the default is in deadlines.ts. */
  readonly timeoutMs?: number;
}

/** The same statement with another deadline. */
export function within(timeoutMs: number, statement: Sql): Sql {
  return { ...statement, timeoutMs };
}

export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  let text = strings[0] ?? '';
  for (let i = 1; i < strings.length; i++) text += `$${i}${strings[i]}`;
  return { text, values };
}

/** Both engines pass all values through here, so that no store can forget to make text storable. */
export function storableValues(values: readonly SqlValue[]): readonly SqlValue[] {
  return values.map(storableValue);
}

function storableValue(value: SqlValue): SqlValue {
  if (typeof value === 'string') return storable(value);
  return Array.isArray(value) ? value.map(storable) : value;
}

/** Escapes in JSON of characters that are not storable, or of half of one. */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * A value for a json column or a json function. An escape hides an unstorable character until the database reads the
 * field, so JSON for the database is written here.
 */
export function json(value: unknown): string {
  const text = JSON.stringify(value);
  return UNSTORABLE.test(text) ? JSON.stringify(storableJson(value)) : text;
}
