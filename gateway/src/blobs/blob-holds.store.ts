/** Holds: while one is valid, the blob keeper deletes no blob, so that a backup can copy all that its snapshot names. */
import { type Queryable, timestamp } from '../database/database.ts';
import { type Sql, sql } from '../database/sql.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';

const HOLD_ID_CHARACTERS = 20;

/** Returns the id of the hold. Holds that are over are removed. */
export async function insertBlobHold(db: Queryable, at: { now: Instant; until: Instant }): Promise<string> {
  const id = randomBase62(HOLD_ID_CHARACTERS);
  await db.query(sql`delete from blob_holds where until <= ${timestamp(at.now)}`);
  await db.query(sql`insert into blob_holds (id, until) values (${id}, ${timestamp(at.until)})`);
  return id;
}

export async function deleteBlobHold(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from blob_holds where id = ${id}`);
}

/** False for a database of an older schema, which has no holds. */
export async function knowsBlobHolds(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ known: boolean }>(
    sql`select to_regclass('blob_holds') is not null as known`,
  );
  return row?.known ?? false;
}

export async function areBlobsHeld(db: Queryable, now: Instant): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>(sql`select not (${noBlobHold(now)}) as held`);
  return row?.held ?? false;
}

/** A condition for statements that decide in the same moment which blobs are deleted. */
export function noBlobHold(now: Instant): Sql {
  return sql`not exists (select 1 from blob_holds where until > ${timestamp(now)})`;
}
