/** Finds the files that may be deleted. An input file is kept until its batch is settled. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** At most `rowsMax` expired files, oldest first, except the inputs of unsettled batches. */
export async function findExpiredFiles(
  db: Queryable,
  now: Instant,
  rowsMax: number,
): Promise<Array<{ id: string; blob: string }>> {
  return await db.query(sql`
    select id, blob from files
    where expires_at <= ${timestamp(now)} and not exists (
      select 1 from batches where input_file_id = files.id and settlement_status <> 'settled')
    order by expires_at limit ${rowsMax}`);
}
