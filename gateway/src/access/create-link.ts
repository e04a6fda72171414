/** Creates a link that signs a person in once. Its code is in the answer and stored nowhere. */
import type { Queryable } from '../database/database.ts';
import type { Instant } from '../kernel/time.ts';
import { digestOfSecret, newSecret } from './key-secret.ts';
import { insertLink } from './sessions.store.ts';

export const LINK_MINUTES = 10;

export async function createSignInLink(
  db: Queryable,
  personId: string,
  now: Instant,
): Promise<{ code: string; expiresAt: Instant }> {
  const code = newSecret('sl');
  const expiresAt = now + LINK_MINUTES * 60_000;
  await insertLink(db, { digest: digestOfSecret(code), personId, createdAt: now, expiresAt });
  return { code, expiresAt };
}
