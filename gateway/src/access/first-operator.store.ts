/** Links for the first operator, by the digests of their codes. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

export async function insertFirstOperatorLink(
  db: Queryable,
  link: { digest: string; createdAt: Instant; expiresAt: Instant },
): Promise<void> {
  await db.query(sql`delete from first_operator_links where expires_at <= ${timestamp(link.createdAt)}`);
  await db.query(sql`
    insert into first_operator_links (digest, created_at, expires_at)
    values (${link.digest}, ${timestamp(link.createdAt)}, ${timestamp(link.expiresAt)})`);
}

export async function isFirstOperatorLink(db: Queryable, digest: string, now: Instant): Promise<boolean> {
  const rows = await db.query(sql`
    select digest from first_operator_links where digest = ${digest} and expires_at > ${timestamp(now)}`);
  return rows.length > 0;
}

/** All of them: there is an operator now. */
export async function deleteFirstOperatorLinks(db: Queryable): Promise<void> {
  await db.query(sql`delete from first_operator_links`);
}
