/** The rows of stored answers, and the parts of their bodies. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { AnswerPart, AnswerScope, EndedAnswer, NamedCall, StoredAnswer } from './stored-answer.ts';

export interface NewClaim {
  readonly scope: AnswerScope;
  readonly digest: string;
  readonly callId: string;
  readonly streamed: boolean;
}

/** False when the key has a row. */
export async function claimAnswer(
  db: Queryable,
  { scope, digest, callId, streamed }: NewClaim,
  { now, leaseUntil, expiresAt }: { now: Instant; leaseUntil: Instant; expiresAt: Instant },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into repeatable_calls (space_id, owner, operation, key, digest, call_id, state, streamed, lease_until,
      created_at, expires_at)
    values (${scope.spaceId}, ${scope.owner}, ${scope.operation}, ${scope.key}, ${digest}, ${callId},
      'running', ${streamed}, ${timestamp(leaseUntil)}, ${timestamp(now)}, ${timestamp(expiresAt)})
    on conflict do nothing returning call_id`);
  return rows.length > 0;
}

/** Of an answer that is not kept, the record of its call says whether it was charged. */
const COLUMNS = sql`space_id as "spaceId", owner, operation, key, call_id as "callId", digest, state, streamed, head,
  charge, bytes, background, cancel, facts, lease_until as "leaseUntil", expires_at as "expiresAt",
  charged or (state = 'not_kept' and exists (select 1 from calls c
    where c.space_id = r.space_id and c.id = r.call_id and c.outcome <> 'failed')) as charged`;

export async function findByKey(db: Queryable, scope: AnswerScope): Promise<StoredAnswer | null> {
  const [row] = await db.query<StoredAnswer>(sql`
    select ${COLUMNS} from repeatable_calls r
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key}`);
  return row ?? null;
}

export async function findByCall(
  db: Queryable,
  { spaceId, callId }: NamedCall,
): Promise<StoredAnswer | null> {
  const [row] = await db.query<StoredAnswer>(sql`
    select ${COLUMNS} from repeatable_calls r where space_id = ${spaceId} and call_id = ${callId}`);
  return row ?? null;
}

/** Deletes a row that has expired, or whose process is dead, with its parts. Has no effect if it was taken over already. */
export async function removeFree(db: Queryable, { spaceId, callId }: NamedCall, now: Instant): Promise<void> {
  await db.query(sql`
    delete from repeatable_calls
    where space_id = ${spaceId} and call_id = ${callId} and (expires_at <= ${timestamp(now)}
      or (not background and lease_until <= ${timestamp(now)} and (state = 'running' or (state = 'not_kept' and not charged))))`);
}

function named(calls: readonly NamedCall[]) {
  return sql`unnest(${calls.map(({ spaceId }) => spaceId)}::text[], ${calls.map(({ callId }) => callId)}::text[])
      as c (space_id, call_id)`;
}

/** Claims that were lost are not renewed. */
export async function renewClaims(
  db: Queryable,
  calls: readonly NamedCall[],
  leaseUntil: Instant,
): Promise<void> {
  await db.query(
    // A renewal that hangs must leave time for another before the lease ends.
    within(
      CALL_ANSWER_MS,
      sql`
    update repeatable_calls r set lease_until = greatest(r.lease_until, ${timestamp(leaseUntil)})
    from ${named(calls)}
    where r.space_id = c.space_id and r.call_id = c.call_id and not r.charged and r.state <> 'rejected'`,
    ),
  );
}

/** From now on the call is never run again. False if the claim was lost. */
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
    select r.call_id as "callId" from repeatable_calls r join ${named(calls)} using (space_id, call_id)
    where r.cancel`,
    ),
  );
  return new Set(rows.map(({ callId }) => callId));
}

/**
 * Parts of a running answer. Those of a claim that was lost are dropped. One that arrives late, while the end of the answer
 * is being stored, does not replace a longer one that begins with the same event.
 */
export async function insertParts(db: Queryable, parts: readonly AnswerPart[]): Promise<void> {
  await db.query(sql`
    insert into repeatable_call_parts (space_id, call_id, first_event, events, body)
    select p.* from ${partRows(parts)} join repeatable_calls r using (space_id, call_id)
    where r.state = 'running'
    on conflict (space_id, call_id, first_event) do update set events = excluded.events, body = excluded.body
    where excluded.events > repeatable_call_parts.events`);
}

function partRows(parts: readonly AnswerPart[]) {
  return sql`unnest(${parts.map(({ spaceId }) => spaceId)}::text[],
      ${parts.map(({ callId }) => callId)}::text[], ${parts.map(({ firstEvent }) => String(firstEvent))}::int[],
      ${parts.map(({ events }) => String(events))}::int[], ${parts.map(({ body }) => body)}::text[])
      as p (space_id, call_id, first_event, events, body)`;
}

/**
 * Returns the ids of those whose claim was not lost. May be repeated. `lostAt`: the calls ran in the background of a process
 * that died, so another one declares their end. Clearing the facts takes it away from a process that was only stalled.
 */
export async function endAnswers(
  db: Queryable,
  calls: readonly EndedAnswer[],
  lostAt: Instant | null = null,
): Promise<Set<string>> {
  const mine =
    lostAt === null
      ? sql`r.state in ('running', d.state) and (r.facts is not null or not r.background)`
      : sql`r.state = 'running' and r.facts is not null and r.background and r.lease_until <= ${timestamp(lostAt)}`;
  const rows = await db.query<{ callId: string }>(sql`
    with decided as (
      update repeatable_calls r
      set state = d.state, head = d.head, charge = nullif(d.charge, ''), bytes = d.bytes, expires_at = d.expires_at,
        charged = d.state = 'rejected' or d.free, facts = case when ${lostAt === null} then r.facts end
      from unnest(${calls.map(({ spaceId }) => spaceId)}::text[], ${calls.map(({ callId }) => callId)}::text[],
        ${calls.map(({ state }) => state)}::text[], ${calls.map(({ head }) => head)}::text[],
        ${calls.map(({ charge }) => charge ?? '')}::text[], ${calls.map(({ bytes }) => String(bytes))}::bigint[],
        ${calls.map(({ expiresAt }) => timestamp(expiresAt))}::timestamptz[],
        ${calls.map(({ free }) => String(free))}::boolean[])
        as d (space_id, call_id, state, head, charge, bytes, expires_at, free)
      where r.space_id = d.space_id and r.call_id = d.call_id and ${mine}
      returning r.space_id, r.call_id, r.state),
    removed as (
      delete from repeatable_call_parts p using decided d
      where p.space_id = d.space_id and p.call_id = d.call_id and d.state = 'not_kept'),
    stored as (
      insert into repeatable_call_parts (space_id, call_id, first_event, events, body)
      select p.* from ${partRows(calls.flatMap(({ parts }) => parts))} join decided using (space_id, call_id)
      on conflict (space_id, call_id, first_event) do update set events = excluded.events, body = excluded.body)
    select call_id as "callId" from decided`);
  return new Set(rows.map(({ callId }) => callId));
}

export async function markCharged(db: Queryable, calls: readonly NamedCall[]): Promise<void> {
  await db.query(sql`
    update repeatable_calls r set charge = null, charged = true
    from ${named(calls)}
    where r.space_id = c.space_id and r.call_id = c.call_id and r.state <> 'running'`);
}

/** Has no effect on a claim that is decided or lost. */
export async function releaseAnswer(db: Queryable, { spaceId, callId }: NamedCall): Promise<void> {
  await db.query(sql`
    delete from repeatable_calls where space_id = ${spaceId} and call_id = ${callId} and state = 'running'`);
}

/**
 * The parts with events after `after`, in order. Nothing while the end is stored and not charged yet: one statement sees the
 * end and its state together. `stored`: the caller knows that it is charged.
 */
export async function findParts(
  db: Queryable,
  { spaceId, callId }: NamedCall,
  { after, stored }: { after: number; stored: boolean },
): Promise<Array<Pick<AnswerPart, 'firstEvent' | 'events' | 'body'>>> {
  return await db.query(sql`
    select p.first_event as "firstEvent", p.events, p.body
    from repeatable_call_parts p join repeatable_calls r using (space_id, call_id)
    where p.space_id = ${spaceId} and p.call_id = ${callId} and p.first_event + p.events > ${after + 1}
      and (r.state = 'running' or r.charged or ${stored})
    order by p.first_event`);
}
