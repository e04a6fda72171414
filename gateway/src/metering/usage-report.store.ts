/** What a space used in a month, read from the totals that every commit of calls keeps. */
import type { Queryable } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Month } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

/** What one key spent on one model. */
export interface MonthTotal {
  readonly keyId: string;
  readonly keyName: string;
  /** Null for keys that belong to nobody but themselves. */
  readonly creatorNickname: string | null;
  readonly model: string;
  readonly requests: number;
  readonly cost: Units;
}

/** One statement, so that whatever is summed from it agrees with itself. */
export async function readMonthTotals(db: Queryable, spaceId: string, month: Month): Promise<MonthTotal[]> {
  const rows = await db.query<Omit<MonthTotal, 'cost'> & { cost: string }>(sql`
    select t.key_id as "keyId", k.name as "keyName", m.nickname as "creatorNickname", t.model,
      t.requests, t.cost
    from month_totals t join keys k on k.id = t.key_id left join members m on m.id = k.member_id
    where t.space_id = ${spaceId} and t.month = ${month}`);
  return rows.map((row) => ({ ...row, cost: parseUnits(row.cost) }));
}
