/** Reads the usage of each day and model of a month, and the summary of a month. */
import type { Queryable } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { type Sql, sql, within } from '../database/sql.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { type Month, monthStart, nextMonth } from '../kernel/time.ts';
import { parseUnits } from '../kernel/units.ts';
import { type Counted, type ModelTotal, monthTotalsOf, type UsageScope } from './usage-report.store.ts';

/** The usage of one model on one calendar day (KST). */
export interface DayModelTotal extends Counted {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly model: string;
}

/** In the order of days and models. */
export async function readDayModelTotals(
  db: Queryable,
  { spaceId, memberId }: UsageScope,
  month: Month,
): Promise<DayModelTotal[]> {
  const statement = memberId ? daysOfMember({ spaceId, memberId, month }) : daysOfSpace(spaceId, month);
  const rows = await db.query<Omit<DayModelTotal, 'cost'> & { cost: string }>(
    within(LONG_ANSWER_MS, statement),
  );
  return rows.map((row) => ({ ...row, cost: parseUnits(row.cost) }));
}

function daysOfSpace(spaceId: string, month: Month): Sql {
  return sql`select day::text as day, model, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced,
      sum(cost) as cost
    ${dayTotalsOf(spaceId, month)} group by day, model order by day, model`;
}

/** `from day_parts …`: the rows of a month, several for a day and model. */
export function dayTotalsOf(spaceId: string, month: Month): Sql {
  return sql`from day_parts
    where space_id = ${spaceId} and day >= to_date(${month}, 'YYYY-MM')
      and day < to_date(${month}, 'YYYY-MM') + interval '1 month'`;
}

/** A call that is charged in a month may have started before it, but not longer ago than this. */
const CALL_MS_MAX = DAY_MS;

/**
 * The totals of days are not kept by member, because that would cost every call a write. So this adds up what the keys
 * of the member used: it takes longer the more they called.
 */
export function daysOfMember(of: { spaceId: string; memberId: string; month: Month }): Sql {
  const { spaceId, memberId, month } = of;
  const [first, end] = [
    firstIdAt('req', monthStart(month) - CALL_MS_MAX),
    firstIdAt('req', monthStart(nextMonth(month))),
  ];
  return sql`
    select day::text as day, model, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced,
      sum(cost) as cost
    from (
      select korean_day(c.charged_at) as day, c.model, 1 as requests,
        case when coalesce(x.cost_after, c.cost) is null then 1 else 0 end as unpriced,
        coalesce(x.cost_after, c.cost, 0) as cost
      from (select id from keys where member_id = ${memberId} and space_id = ${spaceId}) own
      join calls c on c.key_id = own.id
      left join lateral (
        select cost_after from corrections where call_id = c.id order by id desc limit 1) x on true
      where c.id >= ${first} and c.id < ${end} and c.month = ${month} and c.outcome <> 'failed'
      union all
      select day, model, requests, 0, cost from removed_calls
      where space_id = ${spaceId} and day >= to_date(${month}, 'YYYY-MM')
        and day < to_date(${month}, 'YYYY-MM') + interval '1 month'
        and key_id in (select id from keys where member_id = ${memberId} and space_id = ${spaceId})
      union all
      select korean_day(settled_at), model, settled_requests, 0, settled_units from batches
      where space_id = ${spaceId} and owner = ${memberId} and settled_month = ${month} and settled_requests > 0
      union all
      select korean_day(settled_at), model, 1, case when cost is null then 1 else 0 end, coalesce(cost, 0)
      from video_jobs
      where space_id = ${spaceId} and owner = ${memberId} and settled_month = ${month}) used
    group by day, model order by day, model`;
}

/** The totals of days are far fewer than those of keys, and add up to the same. A member has few keys. */
export async function readModelTotals(db: Queryable, scope: UsageScope, month: Month): Promise<ModelTotal[]> {
  const totals = scope.memberId ? monthTotalsOf(scope, month) : dayTotalsOf(scope.spaceId, month);
  const rows = await db.query<Omit<ModelTotal, 'cost'> & { cost: string }>(
    within(
      LONG_ANSWER_MS,
      sql`
    select model, sum(requests)::bigint as requests, sum(unpriced)::bigint as unpriced, sum(cost) as cost
    ${totals} group by model`,
    ),
  );
  return rows.map((row) => ({ ...row, cost: parseUnits(row.cost) }));
}

/** What a space used in a month. */
export interface MonthSummary extends Counted {
  /** Keys with at least one request in the month. */
  readonly activeKeys: number;
}

export async function readMonthSummary(db: Queryable, spaceId: string, month: Month): Promise<MonthSummary> {
  const [row] = await db.query<Omit<MonthSummary, 'cost'> & { cost: string }>(sql`
    select coalesce(sum(requests), 0)::bigint as requests, coalesce(sum(unpriced), 0)::bigint as unpriced,
      coalesce(sum(cost), 0) as cost, (
        select count(*) from (
          select distinct key_id from month_parts
          where space_id = ${spaceId} and month = ${month}) used) as "activeKeys"
    ${dayTotalsOf(spaceId, month)}`);
  const { requests, unpriced, activeKeys, cost } = row as NonNullable<typeof row>;
  return { requests, unpriced, activeKeys, cost: parseUnits(cost) };
}
