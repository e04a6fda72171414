/** What a space used in a month, read from the totals that every commit of calls keeps. */
import type { Queryable } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Month } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

/** What one key spent on one model. */
export interface MonthTotal {
  readonly keyId: string;
  readonly keyName: string;
  /** Of the member who made it; null when an operator did. */
  readonly creatorNickname: string | null;
  /** The e-mail of the owner; null for keys that belong to nobody but themselves. */
  readonly member: string | null;
  readonly model: string;
  readonly requests: number;
  /** Requests whose cost is not known, and not in `cost`. */
  readonly unpriced: number;
  readonly cost: Units;
}

/** One statement, so that whatever is summed from it agrees with itself. */
export async function readMonthTotals(db: Queryable, spaceId: string, month: Month): Promise<MonthTotal[]> {
  const rows = await db.query<Omit<MonthTotal, 'cost'> & { cost: string }>(sql`
    select t.key_id as "keyId", k.name as "keyName", c.nickname as "creatorNickname", m.email as member, t.model,
      t.requests, t.unpriced, t.cost
    from month_totals t join keys k on k.id = t.key_id left join members m on m.id = k.member_id
    left join members c on c.id = coalesce(k.created_by, k.member_id)
    where t.space_id = ${spaceId} and t.month = ${month}`);
  return rows.map((row) => ({ ...row, cost: parseUnits(row.cost) }));
}

/** What was spent on one day of Korea. */
export interface DayTotal extends Pick<MonthTotal, 'requests' | 'unpriced' | 'cost'> {
  /** YYYY-MM-DD. */
  readonly day: string;
}

/** The days of a month on which there were calls. */
export async function readDayTotals(db: Queryable, spaceId: string, month: Month): Promise<DayTotal[]> {
  const rows = await db.query<Omit<DayTotal, 'cost'> & { cost: string }>(sql`
    select day::text as day, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced, sum(cost) as cost
    from day_totals
    where space_id = ${spaceId} and day >= to_date(${month}, 'YYYY-MM')
      and day < to_date(${month}, 'YYYY-MM') + interval '1 month'
    group by day order by day`);
  return rows.map((row) => ({ ...row, cost: parseUnits(row.cost) }));
}
