/** Counts attempts to sign in. The counts are rows, so that all processes share them. */
import { type Database, type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { HOUR_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { type AttemptLimits, countAttempt, type Tally } from './attempt-rules.ts';

export type AttemptSubjects = ReadonlyMap<string, AttemptLimits>;

const SWEPT_MAX = 100;

/**
 * Counts an attempt for every subject, or for none if one of them has to wait; returns how long, or 0. Counts before
 * the password is checked, so that a hundred guesses at the same time count as a hundred.
 */
export async function claimAttempt(db: Database, subjects: AttemptSubjects, now: Instant): Promise<number> {
  await sweepAttempts(db, now);
  const names = [...subjects.keys()].sort();
  return await db.transaction(async (tx) => {
    await tx.query(sql`
      insert into sign_in_attempts (subject, minute_from, minute_count, hour_from, hour_count)
      select subject, ${timestamp(now)}::timestamptz, 0, ${timestamp(now)}::timestamptz, 0
      from unnest(${names}::text[]) as subject order by subject collate "C"
      on conflict (subject) do nothing`);
    const rows = await tx.query<Tally & { subject: string }>(sql`
      select subject, minute_from as "minuteFrom", minute_count as "minuteCount",
        hour_from as "hourFrom", hour_count as "hourCount"
      from sign_in_attempts where subject = any (${names}::text[]) order by subject for update`);
    const counted = rows.map((row) => ({
      subject: row.subject,
      outcome: countAttempt(row, subjects.get(row.subject) as AttemptLimits, now),
    }));
    const waitMs = Math.max(...counted.map(({ outcome }) => ('waitMs' in outcome ? outcome.waitMs : 0)));
    if (waitMs > 0) return waitMs;
    for (const { subject, outcome } of counted)
      if ('tally' in outcome) await updateTally(tx, subject, outcome.tally);
    return 0;
  });
}

async function updateTally(db: Queryable, subject: string, tally: Tally): Promise<void> {
  await db.query(sql`
    update sign_in_attempts set minute_from = ${timestamp(tally.minuteFrom)}, minute_count = ${tally.minuteCount},
      hour_from = ${timestamp(tally.hourFrom)}, hour_count = ${tally.hourCount}
    where subject = ${subject}`);
}

/** Takes back an attempt that did not fail. */
export async function takeBackAttempt(db: Queryable, subjects: AttemptSubjects): Promise<void> {
  const names = [...subjects.keys()];
  await db.query(sql`
    with locked as (
      select subject from sign_in_attempts where subject = any (${names}::text[]) order by subject for update
    )
    update sign_in_attempts a set minute_count = greatest(minute_count - 1, 0),
      hour_count = greatest(hour_count - 1, 0)
    from locked where a.subject = locked.subject`);
}

/** A count older than an hour has no effect. */
async function sweepAttempts(db: Queryable, now: Instant): Promise<void> {
  await db.query(sql`
    delete from sign_in_attempts where subject in (
      select subject from sign_in_attempts where hour_from <= ${timestamp(now - HOUR_MS)}
      limit ${SWEPT_MAX} for update skip locked)`);
}
