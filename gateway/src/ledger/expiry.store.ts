/** Promo units that nobody used in time leave the space by an entry of their own. */
import { type Database, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** The rest waits for the next look. */
const SPACES_MAX = 500;

/** Answers how many spaces had units that expired. */
export async function expireUnits(db: Database, now: Instant): Promise<number> {
  const at = timestamp(now);
  const due = await db.query<{ id: string }>(sql`
    select distinct space_id as id from grants where remaining > 0 and expires_at <= ${at}
    order by space_id limit ${SPACES_MAX}`);
  if (due.length === 0) return 0;
  const spaces = due.map(({ id }) => id);
  return await db.transaction(async (tx) => {
    // In the order of all who move units; what another process expired meanwhile is then seen as gone.
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
