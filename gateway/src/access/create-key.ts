/** Creates a key, or issues a new secret for one. The secret is in the answer and stored nowhere. */
import type { Queryable, Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { digestOfSecret, hintOfSecret, newKeySecret } from './key-secret.ts';
import { insertKey, type Key, type RotatedTimes, rotateKey } from './keys.store.ts';

export type NewKey = Pick<Key, 'spaceId' | 'kind' | 'memberId' | 'createdBy' | 'name' | 'expiresAt'>;

export async function createKey(db: Queryable, key: NewKey, now: Instant): Promise<Key & { secret: string }> {
  const secret = newKeySecret(key.kind);
  const made = { ...key, id: newId('key', now), hint: hintOfSecret(secret), createdAt: now };
  await insertKey(db, { ...made, digest: digestOfSecret(secret) });
  return { ...made, secret };
}

/** The old secret keeps working until `formerUntil`; an older one stops working now. */
export async function rotateSecret(
  tx: Transaction,
  key: Pick<Key, 'id' | 'kind'>,
  to: RotatedTimes,
): Promise<{ secret: string; hint: string }> {
  const secret = newKeySecret(key.kind);
  const hint = hintOfSecret(secret);
  await rotateKey(tx, key.id, { ...to, digest: digestOfSecret(secret), hint });
  return { secret, hint };
}
