/** Reads and writes the rules of keys, members and spaces. Which there are is declared in contract/administration/rules/. */

import {
  groups,
  initialOf,
  type NamedRule,
  type RuleName,
  type RuleTable,
  rulesOn,
} from '../contract/administration/rules/find-rules.ts';
import type { Holder, RuleKind } from '../contract/administration/rules/rule.ts';
import { type Queryable, timestamp } from '../database/database.ts';
import { type Sql, type SqlValue, sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { parseUnits, printUnits, type Units } from '../kernel/units.ts';

interface RuleValues {
  readonly amount: Units | null;
  readonly count: number | null;
  readonly models: readonly string[] | null;
  readonly date: Instant | null;
  readonly switch: boolean;
  readonly tags: string | null;
}

export type RuleValue = RuleValues[RuleKind];

type ValueOf<Name extends RuleName, Of extends Holder> = RuleTable[Name] extends {
  always: ReadonlyArray<infer On>;
}
  ? Of extends On
    ? NonNullable<RuleValues[RuleTable[Name]['kind']]>
    : RuleValues[RuleTable[Name]['kind']]
  : RuleValues[RuleTable[Name]['kind']];

/** What is set for a key, a member or a space, by the names of the rules. Null: no rule. */
export type Rules<Of extends Holder> = { readonly [Name in RuleName<Of>]: ValueOf<Name, Of> };

/** The rules of something new. */
export function initialRules<Of extends Holder>(holder: Of): Rules<Of> {
  return Object.fromEntries(rulesOn(holder).map((rule) => [rule.name, initialOf(rule)])) as Rules<Of>;
}

/** As `storedRules` selects them. */
export type StoredRules = Readonly<Partial<Record<RuleName, string | number | boolean | string[] | null>>>;

/** The rules in one column of a statement, for `readRules`. `table`: its alias there. */
export function storedRules(holder: Holder, table: string): Sql {
  const fields = rulesOn(holder).map((rule) => `'${rule.name}', ${storedValue(rule, table)}`);
  return { text: `jsonb_build_object(${fields.join(', ')})`, values: [] };
}

function storedValue({ name, column = name, kind, since }: NamedRule, table: string): string {
  const stored = `${table}.${column}`;
  if (since) return `${stored} is not null`;
  // JSON has no decimals and no times.
  if (kind === 'amount') return `trim_scale(${stored})::text`;
  return kind === 'date' ? `(extract(epoch from ${stored}) * 1000)::bigint` : stored;
}

export function readRules<Of extends Holder>(holder: Of, stored: StoredRules): Rules<Of> {
  const rules = rulesOn(holder).map(({ name, kind }) => {
    const value = stored[name];
    return [name, kind === 'amount' && typeof value === 'string' ? parseUnits(value) : value];
  });
  return Object.fromEntries(rules) as Rules<Of>;
}

/** Those that are left out stay as they are. */
export async function writeRules<Of extends Holder>(
  db: Queryable,
  { holder, id, now }: { holder: Of; id: string; now: Instant },
  changed: Partial<Rules<Of>>,
): Promise<void> {
  const values = changed as Partial<Record<RuleName, RuleValue>>;
  const set = rulesOn(holder).flatMap((rule) => {
    const { name, column = name } = rule;
    const value = values[name];
    return value === undefined ? [] : [sql`${plain(column)} = ${writtenValue(rule, value, now)}`];
  });
  const [first, ...others] = set;
  if (first === undefined) return;
  const all = others.reduce((joined, one) => sql`${joined}, ${one}`, first);
  await db.query(sql`update ${plain(groups[holder])} set ${all} where id = ${id}`);
}

function writtenValue({ kind, since }: NamedRule, value: RuleValue, now: Instant): SqlValue {
  if (since) return value === true ? timestamp(now) : null;
  if (typeof value === 'bigint') return printUnits(value);
  return kind === 'date' && typeof value === 'number' ? timestamp(value) : (value as SqlValue);
}

/** The name of a table or a column. */
function plain(text: string): Sql {
  return { text, values: [] };
}
