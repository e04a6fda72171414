/** Expires promo units: empties expired grants and writes an `expiry` entry for each space. */
import { type Database, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** Spaces in one transaction; the others follow in the next run. */
const SPACES_MAX = 500;

/** Returns the number of spaces whose units expired. */
export async function expireUnits(db: Database, now: Instant): Promise<number> {
  const at = timestamp(now);
  const due = await db.query<{ id: string }>(sql`
    select distinct space_id as id from grants where remaining > 0 and expires_at <= ${at}
    order by space_id limit ${SPACES_MAX}`);
  if (due.length === 0) return 0;
  const spaces = due.map(({ id }) => id);
  return await db.transaction(async (tx) => {
    // The lock order of accounts (LOCKS.md). The statement below then sees what another process expired first.
    await tx.query(sql`select 1 from accounts where space_id = any (${spaces}) order by space_id for update`);
    const entries = await tx.query(sql`
      with due as (
        select id, space_id, remaining from grants
        where space_id = any (${spaces}) and remaining > 0 and expires_at <= ${at} order by id
      ), emptied as (
        update grants set remaining = 0 from due where grants.id = due.id
      )
      insert into journal (space_id, kind, ref, promo, expired, grant_ids, grant_parts, at)
      select space_id, 'expiry', 'units', -sum(remaining), sum(remaining), array_agg(id), array_agg(-remaining),
        ${at}::timestamptz
      from due group by space_id returning id`);
    return entries.length;
  });
}
