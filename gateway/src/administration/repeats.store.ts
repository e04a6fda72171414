/** The Idempotency-Keys of changes, each with the answer it got. */
import { type Transaction, timestamp } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Instant } from '../kernel/time.ts';

interface RepeatId {
  readonly actor: string;
  /** The digest of the Idempotency-Key. */
  readonly key: string;
}

const EXPIRED_DELETED_MAX = 100;

/** False when the key was used before. Waits while another transaction with the same key is open. */
export async function claimRepeat(
  tx: Transaction,
  row: RepeatId & { digest: string; now: Instant; expiresAt: Instant },
): Promise<boolean> {
  const claimed = await tx.query(sql`
    insert into admin_repeats (actor, key, digest, answer, expires_at)
    values (${row.actor}, ${row.key}, ${row.digest}, '', ${timestamp(row.expiresAt)})
    on conflict (actor, key) do update set digest = excluded.digest, answer = '', expires_at = excluded.expires_at
      where admin_repeats.expires_at <= ${timestamp(row.now)}
    returning key`);
  if (claimed.length === 0) return false;
  await tx.query(sql`
    delete from admin_repeats where (actor, key) in (
      select actor, key from admin_repeats where expires_at <= ${timestamp(row.now)}
      limit ${EXPIRED_DELETED_MAX} for update skip locked)`);
  return true;
}

export async function findRepeat(
  tx: Transaction,
  { actor, key }: RepeatId,
): Promise<{ digest: string; answer: string } | null> {
  const [row] = await tx.query<{ digest: string; answer: string }>(
    sql`select digest, answer from admin_repeats where actor = ${actor} and key = ${key}`,
  );
  return row ?? null;
}

export async function storeAnswer(
  tx: Transaction,
  { actor, key, answer }: RepeatId & { answer: string },
): Promise<void> {
  await tx.query(sql`update admin_repeats set answer = ${answer} where actor = ${actor} and key = ${key}`);
}
