/** Pays for all calls so far, also while a gateway does the same. */
import { type Queryable, timestamp } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { systemClock } from '../../src/kernel/time.ts';

export async function settleAll(db: Queryable, now = systemClock.now()): Promise<void> {
  await db.query(sql`
    select settle_space(a.space_id, ${timestamp(now)})
    from (select space_id from accounts order by space_id for update) a`);
}
