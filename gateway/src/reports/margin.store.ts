/** Reads what was charged and what providers bill for the same work. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { type Sql, sql, within } from '../database/sql.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { type Month, monthStart, nextMonth } from '../kernel/time.ts';
import { parseUnits, type Units } from '../kernel/units.ts';

export type MarginDimension = 'space' | 'model' | 'day';

export interface MarginTotal {
  readonly name: string;
  /** Null: no provider cost is known. */
  readonly currency: string | null;
  readonly requests: number;
  readonly charge: Units;
  readonly chargeUnknown: number;
  readonly cost: Units;
  readonly costUnknown: number;
  /** Only of requests whose charge and cost are known. */
  readonly knownCharge: Units;
  readonly knownCost: Units;
}

/** A call that is charged in a month may have started before it, but not longer ago than this. */
const CALL_MS_MAX = DAY_MS;

/** What work is added up by. Names of spaces are looked up once for each sum, not for each call. */
const keyOf: Readonly<Record<MarginDimension, (table: Sql, at: Sql) => Sql>> = {
  space: (table) => sql`${table}.space_id`,
  model: (table) => sql`${table}.model`,
  day: (_, at) => sql`korean_day(${at})`,
};
/** Removed calls have their day already. */
const removedKeyOf: Readonly<Record<MarginDimension, Sql>> = {
  space: sql`r.space_id`,
  model: sql`r.model`,
  day: sql`r.day`,
};
const nameOf: Readonly<Record<MarginDimension, Sql>> = {
  space: sql`(select s.name from spaces s where s.id = t.key)`,
  model: sql`t.key`,
  day: sql`t.key::text`,
};

/** By name and currency, without requests that failed. */
export async function readMarginTotals(
  db: Queryable,
  { month, by }: { month: Month; by: MarginDimension },
): Promise<MarginTotal[]> {
  const [start, end] = [monthStart(month), monthStart(nextMonth(month))];
  const key = keyOf[by];
  const during = (at: Sql): Sql =>
    sql`${at} >= ${timestamp(start)}::timestamptz and ${at} < ${timestamp(end)}::timestamptz`;
  const rows = await db.query<MarginRow>(
    within(
      LONG_ANSWER_MS,
      sql`
    with corrected as (
      select distinct on (call_id) call_id, cost_after from corrections order by call_id, id desc
    ), work as (
      -- Millions of calls become a few sums, apart from the others, so that the database can share the work.
      select ${key(sql`c`, sql`c.charged_at`)} as key, c.provider_currency as currency, count(*) as requests,
        sum(coalesce(k.cost_after, c.cost)) as charge, sum(c.provider_cost) as cost,
        count(*) filter (where c.provider_cost is null) as cost_unknown
      from calls c left join corrected k on k.call_id = c.id
      where c.id >= ${firstIdAt('req', start - CALL_MS_MAX)} and c.id < ${firstIdAt('req', end)}
        and c.outcome <> 'failed' and ${during(sql`c.charged_at`)}
      group by 1, 2, coalesce(k.cost_after, c.cost) is null, c.provider_cost is null
      union all
      select ${removedKeyOf[by]}, nullif(r.currency, ''), r.requests, r.cost,
        case when r.billed then r.provider_cost end, case when r.billed then 0 else r.requests end
      from removed_calls r
      where r.day >= korean_day(${timestamp(start)}) and r.day < korean_day(${timestamp(end)})
      union all
      select ${key(sql`b`, sql`b.settled_at`)}, bill.currency, coalesce(bill.lines, b.settled_requests),
        -- Older bills have no charge: the first one stands for the batch.
        case when bill.charge is not null then bill.charge::numeric
          when coalesce(bill.place, 1) = 1 then b.settled_units else 0 end,
        bill.cost::numeric, coalesce(bill.unknown, b.settled_requests)
      from batches b left join lateral (
        select one.*, row_number() over () as place from jsonb_to_recordset(b.provider_bills) as one (
          currency text, lines integer, unknown integer, charge text, cost text)
      ) as bill on true
      where b.settled_requests > 0 and ${during(sql`b.settled_at`)}
      union all
      select ${key(sql`v`, sql`v.settled_at`)}, v.provider_currency, 1, v.cost, v.provider_cost,
        (v.provider_cost is null)::integer
      from video_jobs v where ${during(sql`v.settled_at`)}
    ), totals as (
      select w.key, w.currency, sum(w.requests)::bigint as requests,
        coalesce(sum(w.charge), 0) as charge,
        coalesce(sum(w.requests) filter (where w.charge is null), 0)::bigint as "chargeUnknown",
        coalesce(sum(w.cost), 0) as cost, sum(w.cost_unknown)::bigint as "costUnknown",
        coalesce(sum(w.charge) filter (where w.charge is not null and w.cost_unknown = 0), 0) as "knownCharge",
        coalesce(sum(w.cost) filter (where w.charge is not null and w.cost_unknown = 0), 0) as "knownCost"
      from work w group by 1, 2
    )
    select ${nameOf[by]} as name, t.currency, t.requests, t.charge, t."chargeUnknown", t.cost, t."costUnknown",
      t."knownCharge", t."knownCost"
    from totals t order by 1, 2`,
    ),
  );
  return rows.map(readTotal);
}

type Amounts = 'charge' | 'cost' | 'knownCharge' | 'knownCost';
type MarginRow = Omit<MarginTotal, Amounts> & Record<Amounts, string>;

function readTotal({ charge, cost, knownCharge, knownCost, ...row }: MarginRow): MarginTotal {
  return {
    ...row,
    charge: parseUnits(charge),
    cost: parseUnits(cost),
    knownCharge: parseUnits(knownCharge),
    knownCost: parseUnits(knownCost),
  };
}
