/** The rows of calls with an Idempotency-Key, and the parts of their answers. */
import type { RepeatsName } from '../contract/paid-endpoints.ts';
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { CALL_ANSWER_MS, LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface RepeatableScope {
  readonly spaceId: string;
  /** The member of a personal key; the key itself if it is shared. */
  readonly owner: string;
  /** Each has its own keys. */
  readonly operation: RepeatsName;
  readonly key: string;
}

export type RepeatableState = 'running' | 'answered' | 'not_kept' | 'rejected';

export interface RepeatableRow {
  readonly callId: string;
  readonly digest: string;
  readonly state: RepeatableState;
  readonly streamed: boolean;
  readonly head: string | null;
  readonly charge: string | null;
  readonly charged: boolean;
  readonly bytes: number;
  /** A background call: see background-calls.store.ts. */
  readonly background: boolean;
  readonly leaseUntil: Instant;
  readonly expiresAt: Instant;
}

export interface NewClaim {
  readonly callId: string;
  readonly digest: string;
  readonly streamed: boolean;
  readonly now: Instant;
  readonly leaseUntil: Instant;
  readonly expiresAt: Instant;
}

/** False when the key has a row. */
export async function claimCall(db: Queryable, scope: RepeatableScope, claim: NewClaim): Promise<boolean> {
  const rows = await db.query(sql`
    insert into repeatable_calls (space_id, owner, operation, key, digest, call_id, state, streamed, lease_until,
      created_at, expires_at)
    values (${scope.spaceId}, ${scope.owner}, ${scope.operation}, ${scope.key}, ${claim.digest}, ${claim.callId},
      'running', ${claim.streamed}, ${timestamp(claim.leaseUntil)}, ${timestamp(claim.now)},
      ${timestamp(claim.expiresAt)})
    on conflict do nothing returning call_id`);
  return rows.length > 0;
}

export async function findRepeatable(db: Queryable, scope: RepeatableScope): Promise<RepeatableRow | null> {
  const [row] = await db.query<RepeatableRow>(sql`
    select call_id as "callId", digest, state, streamed, head, charge, charged, bytes, background,
      lease_until as "leaseUntil", expires_at as "expiresAt"
    from repeatable_calls
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key}`);
  return row ?? null;
}

/** A call of an owner by its id, with its key. */
export async function findByCall(
  db: Queryable,
  of: Omit<RepeatableScope, 'key'> & { callId: string },
): Promise<(RepeatableRow & { key: string }) | null> {
  const [row] = await db.query<RepeatableRow & { key: string }>(sql`
    select key, call_id as "callId", digest, state, streamed, head, charge, charged, bytes, background,
      lease_until as "leaseUntil", expires_at as "expiresAt"
    from repeatable_calls
    where space_id = ${of.spaceId} and call_id = ${of.callId} and owner = ${of.owner}
      and operation = ${of.operation}`);
  return row ?? null;
}

/** True if the call of an answer that is not kept was charged. */
export async function isCharged(db: Queryable, of: { spaceId: string; callId: string }): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from calls where space_id = ${of.spaceId} and id = ${of.callId} and outcome <> 'failed'`);
  return rows.length > 0;
}

/** Deletes a row that has expired, or whose process is dead, with its parts. Has no effect if it was taken over already. */
export async function removeLapsed(
  tx: Transaction,
  scope: RepeatableScope,
  { callId, now }: { callId: string; now: Instant },
): Promise<void> {
  await tx.query(sql`
    delete from repeatable_calls
    where space_id = ${scope.spaceId} and owner = ${scope.owner} and operation = ${scope.operation}
      and key = ${scope.key} and call_id = ${callId} and (expires_at <= ${timestamp(now)}
        or (not background and lease_until <= ${timestamp(now)} and (state = 'running' or (state = 'not_kept' and not charged))))`);
}

export interface NamedCall {
  readonly spaceId: string;
  readonly callId: string;
}

/** Claims that were lost are not renewed. */
export async function renewCalls(
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
    from unnest(${calls.map(({ spaceId }) => spaceId)}::text[], ${calls.map(({ callId }) => callId)}::text[])
      as c (space_id, call_id)
    where r.space_id = c.space_id and r.call_id = c.call_id and not r.charged and r.state <> 'rejected'`,
    ),
  );
}

export interface AnswerPart extends NamedCall {
  readonly firstEvent: number;
  readonly events: number;
  readonly body: string;
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

/** The end of a call: an answer that is kept or not, or a rejected request. */
export interface DecidedCall extends NamedCall {
  readonly state: Exclude<RepeatableState, 'running'>;
  readonly head: string;
  /** Null if the answer is not kept, or free. */
  readonly charge: string | null;
  /** Nothing is charged. */
  readonly free?: boolean;
  readonly bytes: number;
  readonly expiresAt: Instant;
  /** Those that are not stored yet. */
  readonly parts: readonly AnswerPart[];
}

/** Returns the ids of those whose claim was not lost. May be repeated. */
export async function decideCalls(db: Queryable, calls: readonly DecidedCall[]): Promise<Set<string>> {
  const rows = await db.query<{ callId: string }>(sql`
    with decided as (
      update repeatable_calls r
      set state = d.state, head = d.head, charge = nullif(d.charge, ''), bytes = d.bytes, expires_at = d.expires_at,
        charged = d.state = 'rejected' or d.free
      from unnest(${calls.map(({ spaceId }) => spaceId)}::text[], ${calls.map(({ callId }) => callId)}::text[],
        ${calls.map(({ state }) => state)}::text[], ${calls.map(({ head }) => head)}::text[],
        ${calls.map(({ charge }) => charge ?? '')}::text[], ${calls.map(({ bytes }) => String(bytes))}::bigint[],
        ${calls.map(({ expiresAt }) => timestamp(expiresAt))}::timestamptz[],
        ${calls.map(({ free }) => String(free ?? false))}::boolean[])
        as d (space_id, call_id, state, head, charge, bytes, expires_at, free)
      where r.space_id = d.space_id and r.call_id = d.call_id and r.state in ('running', d.state)
      returning r.space_id, r.call_id),
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
    from unnest(${calls.map(({ spaceId }) => spaceId)}::text[], ${calls.map(({ callId }) => callId)}::text[])
      as c (space_id, call_id)
    where r.space_id = c.space_id and r.call_id = c.call_id and r.state <> 'running'`);
}

/** Has no effect on a claim that is decided or lost. */
export async function releaseCall(db: Queryable, { spaceId, callId }: NamedCall): Promise<void> {
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

/** Answered calls of processes that died before they were charged. */
export async function findUncharged(
  db: Queryable,
  now: Instant,
  rowsMax: number,
): Promise<Array<NamedCall & { charge: string }>> {
  return await db.query(sql`
    select space_id as "spaceId", call_id as "callId", charge from repeatable_calls
    where charge is not null and lease_until <= ${timestamp(now)} order by lease_until limit ${rowsMax}`);
}

/**
 * Removes the oldest answers of a space beyond its quota, of those owners who store most: an answer stays if what its owner
 * stored since then is little. Their rows stay, so that a repeat is not charged again.
 */
export async function dropOldestAnswers(
  db: Queryable,
  { spaceId, bytesMax }: { spaceId: string; bytesMax: number },
): Promise<number> {
  const rows = await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    with dropped as (
      update repeatable_calls set state = 'not_kept', bytes = 0
      where space_id = ${spaceId} and state = 'answered' and charged and call_id in (
        select call_id from (
          select call_id, sum(bytes) over (order by since, created_at desc, call_id desc) as total
          from (
            select call_id, created_at, bytes,
              sum(bytes) over (partition by owner order by created_at desc, call_id desc) as since
            from repeatable_calls where space_id = ${spaceId} and bytes > 0) own) kept
        where total > ${bytesMax})
      returning space_id, call_id),
    removed as (
      delete from repeatable_call_parts p using dropped d
      where p.space_id = d.space_id and p.call_id = d.call_id)
    select call_id from dropped`,
    ),
  );
  return rows.length;
}

/** Returns how many were deleted: at most `rowsMax`, so that no delete blocks others for long. */
export async function deleteExpiredCalls(db: Queryable, now: Instant, rowsMax: number): Promise<number> {
  const rows = await db.query(
    within(
      LONG_ANSWER_MS,
      sql`
    delete from repeatable_calls where (space_id, call_id) in (
      select space_id, call_id from repeatable_calls
      where expires_at <= ${timestamp(now)} and charge is null
      order by expires_at limit ${rowsMax} for update skip locked)
    returning call_id`,
    ),
  );
  return rows.length;
}
