/** Stored answers that need something although nobody asks for them: an end, a charge, room or their deletion. */
import { type Queryable, timestamp } from '../database/database.ts';
import { LONG_ANSWER_MS } from '../database/deadlines.ts';
import { sql, within } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import type { NamedCall } from './stored-answer.ts';

/** Background calls whose process died. */
export async function findLost(db: Queryable, now: Instant, rowsMax: number): Promise<NamedCall[]> {
  return await db.query<NamedCall>(sql`
    select space_id as "spaceId", call_id as "callId" from repeatable_calls
    where background and state = 'running' and lease_until <= ${timestamp(now)}
    order by lease_until limit ${rowsMax}`);
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
export async function dropOldest(
  db: Queryable,
  { spaceId, bytesMax }: { spaceId: string; bytesMax: number },
): Promise<void> {
  await db.query(
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
      returning space_id, call_id)
    delete from repeatable_call_parts p using dropped d
    where p.space_id = d.space_id and p.call_id = d.call_id`,
    ),
  );
}

/** Returns how many were deleted: at most `rowsMax`, so that no delete blocks others for long. */
export async function deleteExpired(db: Queryable, now: Instant, rowsMax: number): Promise<number> {
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
