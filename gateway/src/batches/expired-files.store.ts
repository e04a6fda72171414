/** Which files may be deleted: an input file is kept until its batches are settled. */
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

/** A batch that still needs the file; null if none does. */
export async function findBatchWithInput(db: Queryable, fileId: string): Promise<string | null> {
  const [batch] = await db.query<{ id: string }>(sql`
    select id from batches where input_file_id = ${fileId} and settlement_status <> 'settled' limit 1`);
  return batch?.id ?? null;
}
