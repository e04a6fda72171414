/**
 * SQL with separate values: sql`select * from keys where id = ${id}` is safe from injection. A part of a statement may
 * be a statement itself: sql`select id from keys where ${condition}`.
 */
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

export function sql(strings: TemplateStringsArray, ...parts: ReadonlyArray<SqlValue | Sql>): Sql {
  let text = strings[0] ?? '';
  const values: SqlValue[] = [];
  for (const [i, part] of parts.entries()) {
    if (isSql(part)) {
      text += numberedAfter(values.length, part.text);
      values.push(...part.values);
    } else text += `$${values.push(part)}`;
    text += strings[i + 1];
  }
  return { text, values };
}

/** All conditions; true if there are none. */
export function allOf(conditions: readonly Sql[]): Sql {
  const [first, ...others] = conditions;
  if (first === undefined) return sql`true`;
  return others.reduce((joined, condition) => sql`${joined} and ${condition}`, first);
}

function isSql(part: SqlValue | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'text' in part;
}

function numberedAfter(count: number, text: string): string {
  return count === 0 ? text : text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + count}`);
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
