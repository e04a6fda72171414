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

/** A value may also be a part of a statement, with values of its own: sql`select ${columns} from keys`. */
export function sql(strings: TemplateStringsArray, ...values: ReadonlyArray<SqlValue | Sql>): Sql {
  let text = strings[0] ?? '';
  const all: SqlValue[] = [];
  for (const [i, value] of values.entries()) {
    text += isPart(value) ? placed(value, all.length) : `$${all.length + 1}`;
    all.push(...(isPart(value) ? value.values : [value]));
    text += strings[i + 1];
  }
  return { text, values: all };
}

function isPart(value: SqlValue | Sql): value is Sql {
  return typeof value === 'object' && value !== null && 'text' in value;
}

/** Its text, with its values numbered after those before it. */
function placed({ text }: Sql, before: number): string {
  return before === 0 ? text : text.replaceAll(/\$(\d+)/g, (_, number) => `$${before + Number(number)}`);
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
