/** Creates a link that signs a person in once. Its code is in the answer and stored nowhere. */
import type { Queryable } from '../database/database.ts';
import type { Instant } from '../kernel/time.ts';
import { deleteIdentities } from './issuers/identities.store.ts';
import { digestOfSecret, newSecret } from './key-secret.ts';
import { confirmPerson } from './people.store.ts';
import { insertLink, type SignInLink } from './sessions.store.ts';

export const LINK_MINUTES = 10;

/**
 * A link of an operator vouches for the address, also if the person has another account at an issuer now. `madeBy` must
 * be `shell` only for commands on the machine: such links work also when
 * passwords are switched off.
 */
export async function createSignInLink(
  db: Queryable,
  { personId, madeBy }: SignInLink,
  now: Instant,
): Promise<{ code: string; expiresAt: Instant }> {
  await confirmPerson(db, personId, now);
  await deleteIdentities(db, personId);
  const code = newSecret('sl');
  const expiresAt = now + LINK_MINUTES * 60_000;
  await insertLink(db, { digest: digestOfSecret(code), personId, madeBy, createdAt: now, expiresAt });
  return { code, expiresAt };
}
