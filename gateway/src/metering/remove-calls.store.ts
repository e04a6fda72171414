/**
 * Removes old calls, a limited number at a time, and adds what they cost and counted to `removed_calls`, `removed_usage` and
 * `removed_entries` in the same transaction. Reports and the books add up to the same before and after.
 */
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { type Sql, sql, within } from '../database/sql.ts';
import { firstIdAt } from '../kernel/ids.ts';
import type { Instant, Month } from '../kernel/time.ts';
import { lockAccount } from '../ledger/accounts.store.ts';
import { countColumns, countSums, countsAdded, tierOf, usageCountOf } from './usage-counts.store.ts';

/** Calls that started in a period. */
export interface CallPeriod {
  readonly from: Instant;
  /** Not included. */
  readonly until: Instant;
  /** Only calls that were charged in this month. */
  readonly month?: Month;
}

/** Payments of the spaces wait while so many calls are removed: some milliseconds. */
const ROWS_MAX = 500;

/** The condition for a call `c` that may be removed: unpriced calls wait for a price, corrected ones are in statements. */
const mayBeRemoved: Sql = sql`(c.cost is not null or c.outcome = 'failed')
  and not exists (select 1 from corrections x where x.call_id = c.id)`;

/** The same for a call of a period, from an id on. */
function isRemovable(period: CallPeriod, after = firstIdAt('req', period.from)): Sql {
  const { until, month = null } = period;
  return sql`c.id >= ${after} and c.id < ${firstIdAt('req', until)}
    and (${month}::text is null or c.month = ${month}) and ${mayBeRemoved}`;
}

/** What removing the calls of a period removes: how many, and what they cost. */
export interface RemovableSum {
  readonly calls: number;
  /** A decimal. */
  readonly cost: string;
}

export async function sumRemovableCalls(db: Queryable, period: CallPeriod): Promise<RemovableSum> {
  const [row] = await db.query<RemovableSum>(
    within(
      LONG_ANSWER_MS,
      sql`
    select count(*) as calls, trim_scale(coalesce(sum(c.cost), 0))::text as cost
    from calls c where ${isRemovable(period)}`,
    ),
  );
  return row ?? { calls: 0, cost: '0' };
}

/** In the order of their ids, after `after`; all columns as JSON. Amounts are text, which no reader rounds. */
export async function listRemovableCalls(
  db: Queryable,
  period: CallPeriod,
  { after, rowsMax }: { after: string | null; rowsMax: number },
): Promise<Array<{ id: string; cost: string | null; line: string }>> {
  return await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    select c.id, c.cost::text as cost, (to_jsonb(c) || jsonb_build_object('cost', trim_scale(c.cost)::text,
      'provider_cost', trim_scale(c.provider_cost)::text))::text as line
    from calls c where ${isRemovable(period)} and c.id > ${after ?? ''} order by c.id limit ${rowsMax}`,
    ),
  );
}

/** Returns how many were removed. Stops early, between two transactions, if `isStopping` says so. */
export async function removeCalls(
  db: Database,
  period: CallPeriod,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let [after, removed] = [firstIdAt('req', period.from), 0];
  while (!isStopping()) {
    const piece = await db.transaction((tx) => removePiece(tx, period, after), { timeoutMs: LONG_ANSWER_MS });
    if (piece === null) break;
    removed += piece.removed;
    after = piece.last;
  }
  return removed;
}

async function removePiece(
  tx: Transaction,
  period: CallPeriod,
  after: string,
): Promise<{ removed: number; last: string } | null> {
  const found = await tx.query<{ id: string; spaceId: string }>(sql`
    select c.id, c.space_id as "spaceId" from calls c
    where ${isRemovable(period, after)} order by c.id limit ${ROWS_MAX}`);
  const last = found.at(-1)?.id;
  if (last === undefined) return null;
  // A correction locks the account too, so that none is written for a call that is being removed.
  const spaces = [...new Set(found.map(({ spaceId }) => spaceId))].toSorted();
  for (const spaceId of spaces) await lockAccount(tx, spaceId);
  const [row] = await tx.query<{ removed: number }>(sql`
    with gone as (
      delete from calls c where c.id = any (${found.map(({ id }) => id)}) and ${mayBeRemoved} returning c.*
    ), of_entries as (
      insert into removed_entries as e (entry_id, cost)
      select entry_id, sum(cost) from gone where entry_id is not null group by entry_id
      on conflict (entry_id) do update set cost = e.cost + excluded.cost
    ), of_days as (
      insert into removed_calls as r (space_id, day, key_id, model, utc_day, provider, upstream_model, currency,
        billed, requests, estimated, cost, provider_cost)
      select space_id, korean_day(charged_at), key_id, model, (charged_at at time zone 'UTC')::date,
        coalesce(provider, ''), coalesce(upstream_model, ''), coalesce(provider_currency, ''),
        provider_cost is not null, count(*), count(*) filter (where usage_source = 'estimated'), sum(cost),
        coalesce(sum(provider_cost), 0)
      from gone where outcome <> 'failed' group by 1, 2, 3, 4, 5, 6, 7, 8, 9
      on conflict (space_id, day, key_id, model, utc_day, provider, upstream_model, currency, billed) do update
      set requests = r.requests + excluded.requests, estimated = r.estimated + excluded.estimated,
        cost = r.cost + excluded.cost, provider_cost = r.provider_cost + excluded.provider_cost
    ), of_usage as (
      insert into removed_usage as r (space_id, day, utc_day, key_id, model, endpoint, tier, requests, search_requests,
        ${countColumns})
      select space_id, korean_day(charged_at), (charged_at at time zone 'UTC')::date, key_id, model, endpoint, ${tierOf},
        count(*), count(*) filter (where ${usageCountOf.web_searches} > 0), ${countSums}
      from gone u where outcome <> 'failed' group by 1, 2, 3, 4, 5, 6, 7
      on conflict (space_id, day, utc_day, key_id, model, endpoint, tier) do update
      set requests = r.requests + excluded.requests, search_requests = r.search_requests + excluded.search_requests,
        ${countsAdded}
    )
    select count(*) as removed from gone`);
  return { removed: row?.removed ?? 0, last };
}
