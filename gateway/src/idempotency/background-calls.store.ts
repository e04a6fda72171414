/** What only the rows of background calls have: a request to cancel, and an end that another process may declare. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { NamedCall } from './repeatable-calls.store.ts';

/** False if the claim was lost. From now on the call is never run again. */
export async function markBackground(
  tx: Transaction,
  { spaceId, callId, facts }: NamedCall & { facts: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update repeatable_calls set background = true, facts = ${facts}
    where space_id = ${spaceId} and call_id = ${callId} and state = 'running' returning call_id`);
  return rows.length > 0;
}

/** Has no effect on a call that has ended. */
export async function requestCancel(db: Queryable, { spaceId, callId }: NamedCall): Promise<void> {
  await db.query(sql`
    update repeatable_calls set cancel = true
    where space_id = ${spaceId} and call_id = ${callId} and background and state = 'running'`);
}

/** The ids of those that their owner wants to cancel. */
export async function findCancelRequests(db: Queryable, calls: readonly NamedCall[]): Promise<Set<string>> {
  const rows = await db.query<{ callId: string }>(
    within(
      CALL_ANSWER_MS,
      sql`
    select r.call_id as "callId"
    from repeatable_calls r
      join unnest(${calls.map(({ spaceId }) => spaceId)}::text[], ${calls.map(({ callId }) => callId)}::text[])
        as c (space_id, call_id) using (space_id, call_id)
    where r.cancel`,
    ),
  );
  return new Set(rows.map(({ callId }) => callId));
}

/** Background calls whose process died. */
export async function findLostCalls(db: Queryable, now: Instant, rowsMax: number): Promise<NamedCall[]> {
  return await db.query<NamedCall>(sql`
    select space_id as "spaceId", call_id as "callId" from repeatable_calls
    where background and state = 'running' and lease_until <= ${timestamp(now)}
    order by lease_until limit ${rowsMax}`);
}

export interface BackgroundCall {
  /** It has ended, and its charge is written. */
  readonly charged: boolean;
  /** The record that is still to be charged. */
  readonly charge: string | null;
  /** Its process renews its claim, or has ended it. */
  readonly runs: boolean;
  readonly lapsed: boolean;
  readonly cancel: boolean;
  readonly streamed: boolean;
  /** Null once another process has declared its end. */
  readonly facts: string | null;
}

/** Null if it has no row. */
export async function findBackgroundCall(
  db: Queryable,
  { spaceId, callId }: NamedCall,
  now: Instant,
): Promise<BackgroundCall | null> {
  const [row] = await db.query<BackgroundCall>(sql`
    select charged, charge, cancel, streamed, facts, lease_until <= ${timestamp(now)} as lapsed,
      state <> 'running' or lease_until > ${timestamp(now)} as runs
    from repeatable_calls where space_id = ${spaceId} and call_id = ${callId}`);
  return row ?? null;
}

/** Locks the row of a background call for its end. False if another process has declared its end. */
export async function lockOwnCall(tx: Transaction, { spaceId, callId }: NamedCall): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 from repeatable_calls
    where space_id = ${spaceId} and call_id = ${callId} and facts is not null for update`);
  return rows.length > 0;
}

/**
 * Takes a call away from a process that died: only one process declares its end, and the process itself cannot if it was
 * only stalled. False if it runs or has ended.
 */
export async function takeLostCall(
  tx: Transaction,
  { spaceId, callId }: NamedCall,
  now: Instant,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update repeatable_calls set facts = null
    where space_id = ${spaceId} and call_id = ${callId} and background and state = 'running'
      and facts is not null and lease_until <= ${timestamp(now)} returning 1`);
  return rows.length > 0;
}

/** Removes the events of an answer that is too large to keep. */
export async function deleteParts(tx: Transaction, { spaceId, callId }: NamedCall): Promise<void> {
  await tx.query(sql`
    delete from repeatable_call_parts where space_id = ${spaceId} and call_id = ${callId}`);
}
