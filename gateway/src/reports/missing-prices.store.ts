/** Reads the calls, batch lines and videos whose cost is unknown, grouped by what had no price. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface MissingPriceRow {
  readonly model: string;
  readonly missing: string;
  readonly calls: number;
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
      where cost is null and outcome <> 'failed' order by id desc limit ${EXAMINED_CALLS_MAX}
    ), lines as (
      select b.model, b.created_at as at,
        case when l.usage is null then '["usage"]'::jsonb else (l.usage -> 'missing')::jsonb end as missing
      from batch_lines l join batches b on b.id = l.batch_id
      where l.ok and l.cost is null limit ${EXAMINED_CALLS_MAX}
    ), videos as (
      select model, created_at as at, usage_details -> 'missing' as missing from video_jobs
      where cost is null and settled_at is not null order by id desc limit ${EXAMINED_CALLS_MAX}
    ), unpriced as (select * from newest union all select * from lines union all select * from videos)
    select u.model, coalesce(m.name, 'unknown') as missing, count(*) as calls, min(u.at) as "firstAt",
      max(u.at) as "lastAt", (select count(*) from newest) as examined
    from unpriced u left join lateral jsonb_array_elements_text(u.missing) as m (name) on true
    where ${since}::timestamptz is null or u.at >= ${since}::timestamptz
    group by 1, 2 order by calls desc, 1, 2`,
    ),
  );
  const complete = (rows[0]?.examined ?? 0) < EXAMINED_CALLS_MAX;
  return { rows: rows.map(({ examined: _, ...row }) => row), complete };
}
