/** What each process counted in the last two minutes, for the others. */
import type { Queryable } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql } from '../database/sql.ts';
import type { MinuteCount } from './rate-counts.ts';

const SWEEP_ROWS_MAX = 10_000;

/** Tells what this process counted, and answers what all others did, from that minute on. */
export async function syncCounts(
  db: Queryable,
  own: { process: string; counts: readonly MinuteCount[]; subjects: readonly string[]; fromMinute: number },
): Promise<MinuteCount[]> {
  const column = (name: 'minute' | 'requests' | 'tokens'): string[] =>
    own.counts.map((count) => String(count[name]));
  const statement = sql`
    with told as (
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

/** Skips what another process deletes at the same time: both would wait for each other. */
export async function deleteOldCounts(db: Queryable, beforeMinute: number): Promise<void> {
  const statement = sql`
    delete from rate_counts where ctid in (
      select ctid from rate_counts where minute < ${beforeMinute} limit ${SWEEP_ROWS_MAX}
      for update skip locked)`;
  await db.query({ ...statement, timeoutMs: CALL_ANSWER_MS });
}
