/** Creates an administration token. The secret is in the answer and stored nowhere. */
import type { Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import {
  type AdminToken,
  insertAdminToken,
  isTokenNameUsed,
  type NewAdminToken,
} from './admin-tokens.store.ts';
import { digestOfSecret, hintOfSecret, newSecret } from './key-secret.ts';
import { lockAccess } from './keys.store.ts';

export type AdminTokenWanted = Pick<AdminToken, 'name' | 'spaceId' | 'access' | 'createdBy' | 'expiresAt'>;

/** The name is unique within its scope, because the audit log names the token by it. */
export async function createAdminToken(
  tx: Transaction,
  wanted: AdminTokenWanted,
  now: Instant,
): Promise<Omit<NewAdminToken, 'digest'> & { readonly secret: string }> {
  await lockAccess(tx);
  if (await isTokenNameUsed(tx, wanted)) {
    throw new Problem('conflict', {
      detail: `There is already an administration token named ${wanted.name}. Revoke it, or choose another name.`,
      param: 'name',
    });
  }
  if (wanted.expiresAt <= now) {
    throw new Problem('invalid_parameter', {
      detail: 'expires_at must be in the future.',
      param: 'expires_at',
    });
  }
  const secret = newSecret('at');
  const token = { ...wanted, id: newId('token', now), hint: hintOfSecret(secret), createdAt: now };
  await insertAdminToken(tx, { ...token, digest: digestOfSecret(secret) });
  return { ...token, secret };
}
