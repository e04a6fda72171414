/** Writes events together with their deliveries and the jobs that send them. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { json, type Sql, type SqlValue, sql } from '../database/sql.ts';
import { enqueueJobs } from '../jobs/jobs.store.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { gets, type NewEvent, type TargetFilter } from './event.ts';

/** The kind of the jobs that deliver. */
export const DELIVERY_JOB = 'alert';

/**
 * Call in the transaction that causes the events. Those that happened before are left out, and those that no target gets.
 * Returns the others.
 */
export async function raiseEvents(
  tx: Transaction,
  raised: readonly NewEvent[],
  now: Instant,
): Promise<readonly NewEvent[]> {
  if (raised.length === 0) return [];
  const targets = await findTargets(tx, raised);
  const wanted = raised.flatMap((event) => {
    const to = targets.filter((target) => gets(target, event)).map(({ id }) => id);
    return to.length === 0 ? [] : [{ id: newId('evt', now), event, to }];
  });
  const added = new Set(await insertEvents(tx, wanted, now));
  const news = wanted.filter(({ id }) => added.has(id));
  await insertDeliveries(
    tx,
    news.flatMap(({ id, to }) => to.map((targetId) => ({ eventId: id, targetId }))),
    now,
  );
  return news.map(({ event }) => event);
}

/** An event for one target, whatever it gets otherwise. */
export async function raiseFor(
  tx: Transaction,
  { targetId, event }: { targetId: string; event: NewEvent },
  now: Instant,
): Promise<string> {
  const id = newId('evt', now);
  await insertEvents(tx, [{ id, event }], now);
  const [delivery = ''] = await insertDeliveries(tx, [{ eventId: id, targetId }], now);
  return delivery;
}

/** True for an event that has not happened yet; its parts are expressions of the statement. */
export function isNew(of: { kind: SqlValue; space: Sql; subject: Sql; period: Sql; threshold: Sql }): Sql {
  return sql`not exists (select 1 from events e where e.kind = ${of.kind} and e.subject = ${of.subject}
    and e.period = ${of.period} and e.threshold = ${of.threshold} and coalesce(e.space_id, '') = ${of.space})`;
}

async function findTargets(
  tx: Queryable,
  events: readonly NewEvent[],
): Promise<Array<TargetFilter & { readonly id: string }>> {
  const spaces = [...new Set(events.flatMap(({ spaceId }) => (spaceId === null ? [] : [spaceId])))];
  return await tx.query(sql`
    select id, space_id as "spaceId", kinds from alert_targets
    where removed_at is null and (space_id is null or space_id = any (${spaces})) order by id`);
}

/** Returns the ids of those that are new. In one order, so that two transactions cannot wait for each other. */
async function insertEvents(
  tx: Transaction,
  events: ReadonlyArray<{ readonly id: string; readonly event: NewEvent }>,
  now: Instant,
): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = events.map(({ id, event }) => ({ ...event, id }));
  const added = await tx.query<{ id: string }>(sql`
    insert into events (id, space_id, kind, subject, period, threshold, at, data)
    select e.id, e."spaceId", e.kind, e.subject, e.period, e.threshold, ${timestamp(now)}, e.data
    from json_to_recordset(${json(rows)}::json) as e (
      id text, "spaceId" text, kind text, subject text, period text, threshold text, data json)
    order by e.kind collate "C", e.subject collate "C", e.period collate "C", e.threshold collate "C", e."spaceId" collate "C"
    on conflict do nothing returning id`);
  return added.map(({ id }) => id);
}

async function insertDeliveries(
  tx: Transaction,
  wanted: ReadonlyArray<{ readonly eventId: string; readonly targetId: string }>,
  now: Instant,
): Promise<string[]> {
  if (wanted.length === 0) return [];
  const rows = wanted.map((one) => ({ ...one, id: newId('dlv', now) }));
  const ids = rows.map(({ id }) => id);
  // Jobs come first in the order of locks.
  await enqueueJobs(tx, { kind: DELIVERY_JOB, subjects: ids, now });
  await tx.query(sql`
    insert into deliveries (id, event_id, target_id, space_id, state, created_at, next_at)
    select d.id, d."eventId", t.id, t.space_id, 'pending', ${timestamp(now)}, ${timestamp(now)}
    from json_to_recordset(${json(rows)}::json) as d (id text, "eventId" text, "targetId" text)
    join alert_targets t on t.id = d."targetId"`);
  return ids;
}

/** Events removed by one transaction. */
const REMOVED_MAX = 1_000;

/** Removes old events with their deliveries, but for those that are still being sent. True if there may be more. */
export async function removeEvents(db: Queryable, before: Instant): Promise<boolean> {
  const [row] = await db.query<{ events: number }>(sql`
    with old as (
      select e.id from events e where ${isRemovable(before)} order by e.at limit ${REMOVED_MAX} for update skip locked
    ), sent as (delete from deliveries where event_id in (select id from old) returning 1)
    select (select count(*) from old) as events, (select count(*) from sent) as deliveries`);
  await db.query(sql`
    delete from events e where ${isRemovable(before)} and not exists (select 1 from deliveries where event_id = e.id)`);
  return row?.events === REMOVED_MAX;
}

export async function countOldEvents(db: Queryable, before: Instant): Promise<number> {
  const [row] = await db.query<{ events: number }>(sql`
    select count(*) as events from events e where ${isRemovable(before)}`);
  return row?.events ?? 0;
}

function isRemovable(before: Instant): Sql {
  return sql`e.at < ${timestamp(before)} and not exists (
    select 1 from deliveries d where d.event_id = e.id and d.state = 'pending')`;
}
