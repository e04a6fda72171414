/** Makes a key, or a new text for one; the text is in the answer and nowhere else. */
import type { Queryable, Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { digestOfKey, hintOfKey, newKeyText } from './key-secret.ts';
import { insertKey, type Key, rotateKey } from './keys.store.ts';

export type NewKey = Pick<Key, 'spaceId' | 'kind' | 'memberId' | 'createdBy' | 'name' | 'expiresAt'>;

export async function createKey(db: Queryable, key: NewKey, now: Instant): Promise<Key & { text: string }> {
  const text = newKeyText(key.kind);
  const made = { ...key, id: newId('key', now), hint: hintOfKey(text), createdAt: now };
  await insertKey(db, { ...made, digest: digestOfKey(text) });
  return { ...made, text };
}

/** The former text works until `formerUntil`; one that was former before stops now. */
export async function renewKey(
  tx: Transaction,
  key: Key,
  to: { formerUntil: Instant; expiresAt: Instant },
): Promise<{ text: string; hint: string }> {
  const text = newKeyText(key.kind);
  const hint = hintOfKey(text);
  await rotateKey(tx, key.id, { ...to, digest: digestOfKey(text), hint });
  return { text, hint };
}
