/** SQL with its values apart: sql`select * from keys where id = ${id}` can not be injected into. */
export type SqlValue = string | number | boolean | null | readonly string[];

export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** After this long without an answer the connection counts as lost; by default as deadlines.ts says. */
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
