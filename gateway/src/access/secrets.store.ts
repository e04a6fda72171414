/** The rows of signing secrets of this installation. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** The purpose of a secret; each purpose has its own. */
export type SecretUse = 'known-browsers' | 'media-links';

/** Stores a new secret unless there is one, and returns the stored one. Both in hexadecimal. */
export async function keepSecret(
  db: Queryable,
  use: SecretUse,
  fresh: { secret: string; now: Instant },
): Promise<string> {
  await db.query(sql`
    insert into secrets (use, secret, created_at)
    values (${use}, decode(${fresh.secret}, 'hex'), ${timestamp(fresh.now)}) on conflict do nothing`);
  const [row] = await db.query<{ secret: string }>(sql`
    select encode(secret, 'hex') as secret from secrets where use = ${use}`);
  if (row === undefined) throw new Error(`the secret for ${use} was deleted`);
  return row.secret;
}
