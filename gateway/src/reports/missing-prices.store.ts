/** Reads what had no price: of calls, batch lines and videos whose cost is unknown, and of requests that were rejected for it. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface MissingPriceRow {
  readonly model: string;
  readonly missing: string;
  readonly calls: number;
  readonly rejected: number;
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

/** The newest calls without a price that are examined. */
const EXAMINED_CALLS_MAX = 50_000;

export async function readMissingPrices(
  db: Queryable,
  { from }: { from: Instant | null },
): Promise<{ rows: MissingPriceRow[]; complete: boolean }> {
  const since = from === null ? null : timestamp(from);
  const rows = await db.query<MissingPriceRow & { examined: number }>(
    within(
      LONG_ANSWER_MS,
      sql`
    with newest as (
      select model, started_at as at, usage_details -> 'missing' as missing from calls
      where cost is null and outcome <> 'failed'
        and not exists (select 1 from corrections c where c.space_id = calls.space_id and c.call_id = calls.id)
      order by id desc limit ${EXAMINED_CALLS_MAX}
    ), lines as (
      select b.model, b.created_at as at,
        case when l.usage is null then '["usage"]'::jsonb else (l.usage -> 'missing')::jsonb end as missing
      from batch_lines l join batches b on b.id = l.batch_id
      where l.ok and l.cost is null limit ${EXAMINED_CALLS_MAX}
    ), videos as (
      select model, created_at as at, usage_details -> 'missing' as missing from video_jobs
      where cost is null and settled_at is not null order by id desc limit ${EXAMINED_CALLS_MAX}
    ), unpriced as (select * from newest union all select * from lines union all select * from videos), found as (
      select u.model, coalesce(m.name, 'unknown') as missing, u.at, 1 as calls, 0 as rejected
      from unpriced u left join lateral jsonb_array_elements_text(u.missing) as m (name) on true
      union all
      (select facts ->> 'model', facts ->> 'missing', at, 0, 1 from refusals where code = 'price_missing'
        order by at desc limit ${EXAMINED_CALLS_MAX})
    )
    select model, missing, sum(calls) as calls, sum(rejected) as rejected, min(at) as "firstAt", max(at) as "lastAt",
      (select count(*) from newest) as examined
    from found
    where ${since}::timestamptz is null or at >= ${since}::timestamptz
    group by 1, 2 order by sum(calls) + sum(rejected) desc, 1, 2`,
    ),
  );
  const complete = (rows[0]?.examined ?? 0) < EXAMINED_CALLS_MAX;
  return { rows: rows.map(({ examined: _, ...row }) => row), complete };
}
