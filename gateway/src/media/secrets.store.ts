/** The rows of what this installation signs with. */
import { type Queryable, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

/** What a secret is for; each use has its own. */
export type SecretUse = 'media-links';

/** Both in hexadecimal. The one that was there first stays, and is answered to everybody. */
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
  if (row === undefined) throw new Error(`the secret for ${use} was taken away`);
  return row.secret;
}
