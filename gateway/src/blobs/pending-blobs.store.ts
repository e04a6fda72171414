/** The records of blobs that are being written and that no row refers to yet. */
import { type Queryable, type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';
import { noBlobHold } from './blob-holds.store.ts';

/** Takes over the record of an earlier writer of the same blob. False while that one is being deleted. */
export async function insertPendingBlob(db: Queryable, name: string, leaseUntil: Instant): Promise<boolean> {
  const rows = await db.query(sql`
    insert into pending_blobs as p (name, lease_until) values (${name}, ${timestamp(leaseUntil)})
    on conflict (name) do update set lease_until = excluded.lease_until where not p.doomed returning name`);
  return rows.length > 0;
}

export async function renewPendingBlob(db: Queryable, name: string, leaseUntil: Instant): Promise<void> {
  await db.query(sql`
    update pending_blobs set lease_until = ${timestamp(leaseUntil)} where name = ${name} and not doomed`);
}

/** Call in the transaction of the row that refers to the blob. False if it is too late. */
export async function adoptPendingBlob(tx: Transaction, name: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from pending_blobs where name = ${name} and not doomed returning name`);
  return rows.length > 0;
}

/** Marks the blobs of silent writers for deletion; they cannot be adopted any more. None while blobs are held. */
export async function doomPendingBlobs(db: Queryable, now: Instant, rowsMax: number): Promise<string[]> {
  const rows = await db.query<{ name: string }>(sql`
    update pending_blobs set doomed = true where name in (
      select name from pending_blobs where lease_until <= ${timestamp(now)} order by lease_until limit ${rowsMax} for update skip locked)
      and lease_until <= ${timestamp(now)} and ${noBlobHold(now)}
    returning name`);
  return rows.map(({ name }) => name);
}

/** Lets the keeper delete blobs whose rows are deleted in the same transaction. */
export async function abandonBlobs(tx: Transaction, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.query(sql`
    insert into pending_blobs (name, lease_until)
    select name, '-infinity' from unnest(${names}::text[]) as name on conflict do nothing`);
}

export async function deletePendingBlob(db: Queryable, name: string): Promise<void> {
  await db.query(sql`delete from pending_blobs where name = ${name}`);
}
