/** Makes a key; its text is in the answer and nowhere else. */
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { digestOfKey, hintOfKey, newKeyText } from './key-secret.ts';
import { insertKey, type Key } from './keys.store.ts';
import type { KeyKind } from './principal.ts';

export interface NewKey {
  readonly spaceId: string;
  readonly kind: KeyKind;
  readonly memberId: string | null;
  readonly name: string;
  readonly expiresAt: Instant;
}

export async function createKey(db: Queryable, key: NewKey, now: Instant): Promise<Key & { text: string }> {
  const text = newKeyText(key.kind);
  const made = { ...key, id: newId('key', now), hint: hintOfKey(text), createdAt: now };
  await insertKey(db, { ...made, digest: digestOfKey(text) });
  return { ...made, text };
}
