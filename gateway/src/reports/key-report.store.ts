/** Reads what a key and its member have spent in a month, from the totals that every charge updates. */
import type { Principal } from '../access/principal.ts';
import type { Queryable } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Month } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

export interface KeySpending {
  readonly name: string;
  readonly hint: string;
  readonly spent: Units;
  /** Null for a shared key. */
  readonly member: { readonly email: string; readonly spent: Units } | null;
}

interface Row {
  readonly name: string;
  readonly hint: string;
  readonly spent: string;
  readonly email: string | null;
  readonly memberSpent: string;
}

/** One statement, so that both sums are from the same snapshot. Null if the key was deleted. */
export async function readKeySpending(
  db: Queryable,
  { keyId, spaceId }: Pick<Principal, 'keyId' | 'spaceId'>,
  month: Month,
): Promise<KeySpending | null> {
  const [row] = await db.query<Row>(sql`
    select k.name, k.hint, m.email, (
        select coalesce(sum(t.cost), 0) from month_parts t
        where t.space_id = ${spaceId} and t.month = ${month} and t.key_id = k.id) as spent, (
        select coalesce(sum(t.cost), 0) from keys own
        join month_parts t on t.space_id = ${spaceId} and t.month = ${month} and t.key_id = own.id
        where own.member_id = k.member_id) as "memberSpent"
    from keys k left join members m on m.id = k.member_id where k.id = ${keyId}`);
  if (row === undefined) return null;
  const { name, hint, email } = row;
  const member = email === null ? null : { email, spent: parseUnits(row.memberSpent) };
  return { name, hint, spent: parseUnits(row.spent), member };
}
