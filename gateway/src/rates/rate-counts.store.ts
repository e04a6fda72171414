/** The counts of each process in the last two minutes, shared through the database. */
import type { Queryable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { MinuteCount } from './rate-counts.ts';

const SWEEP_ROWS_MAX = 10_000;

/** Writes the counts of this process and returns the counts of all others, from `fromMinute` on. */
export async function syncCounts(
  db: Queryable,
  own: { process: string; counts: readonly MinuteCount[]; subjects: readonly string[]; fromMinute: number },
): Promise<MinuteCount[]> {
  const column = (name: 'minute' | 'requests' | 'tokens'): string[] =>
    own.counts.map((count) => String(count[name]));
  const statement = sql`
    with written as (
      insert into rate_counts (subject, minute, process, requests, tokens)
      select subject, minute::bigint, ${own.process}, requests::bigint, tokens::bigint
      from unnest(${own.counts.map(({ subject }) => subject)}::text[], ${column('minute')}::text[],
        ${column('requests')}::text[], ${column('tokens')}::text[]) as t (subject, minute, requests, tokens)
      on conflict (subject, minute, process) do update set
        requests = excluded.requests, tokens = excluded.tokens
    )
    select subject, minute, sum(requests)::bigint as requests, sum(tokens)::bigint as tokens from rate_counts
    where subject = any (${own.subjects}::text[]) and minute >= ${own.fromMinute} and process <> ${own.process}
    group by subject, minute`;
  return await db.query<MinuteCount>({ ...statement, timeoutMs: CALL_ANSWER_MS });
}

/** Skips rows that another process deletes at the same time, because the two could deadlock. */
export async function deleteOldCounts(db: Queryable, beforeMinute: number): Promise<void> {
  const statement = sql`
    delete from rate_counts where ctid in (
      select ctid from rate_counts where minute < ${beforeMinute} limit ${SWEEP_ROWS_MAX}
      for update skip locked)`;
  await db.query({ ...statement, timeoutMs: CALL_ANSWER_MS });
}
