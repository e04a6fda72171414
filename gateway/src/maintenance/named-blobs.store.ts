/** Which blobs the rows of the database name. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export interface NamedBlob {
  readonly name: string;
  /** Its row has expired, so the blob may be deleted already. */
  readonly expired: boolean;
}

/** In the order of names, after `after`. */
export async function listNamedBlobs(
  db: Queryable,
  { after, now, rowsMax }: { after: string; now: Instant; rowsMax: number },
): Promise<NamedBlob[]> {
  return await db.query<NamedBlob>(sql`
    select name, coalesce(expires_at <= ${timestamp(now)}, false) as expired from (
      select blob as name, expires_at from files
      union all select id, expires_at from reference_files
      union all select id, expires_at from media where status = 'ready'
      union all select id, null from kept_media) named
    where name > ${after} order by name limit ${rowsMax}`);
}
