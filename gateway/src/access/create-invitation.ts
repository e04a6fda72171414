/** Invites an address to a space. The code is in the answer and stored nowhere. */
import type { Transaction } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import {
  countOpenInvitations,
  type Invitation,
  insertInvitation,
  revokeInvitationsOf,
} from './invitations.store.ts';
import { digestOfSecret, newSecret } from './key-secret.ts';
import { lockAccess } from './keys.store.ts';
import { listMemberships } from './members.store.ts';
import { findPerson } from './people.store.ts';

export const INVITATION_DAYS = 7;
const OPEN_INVITATIONS_MAX = 500;

export type InvitationWanted = Pick<Invitation, 'spaceId' | 'email' | 'role' | 'createdBy'>;

/** Replaces an open invitation of the same address. */
export async function createInvitation(
  tx: Transaction,
  wanted: InvitationWanted,
  now: Instant,
): Promise<Omit<Invitation, 'acceptedAt' | 'revokedAt'> & { readonly code: string }> {
  const { spaceId, email } = wanted;
  await lockAccess(tx);
  await checkNoMember(tx, wanted);
  await revokeInvitationsOf(tx, { spaceId, email }, now);
  if ((await countOpenInvitations(tx, spaceId, now)) >= OPEN_INVITATIONS_MAX) {
    throw new Problem('conflict', {
      detail: `The space has ${OPEN_INVITATIONS_MAX} open invitations, which is the limit. Revoke some of them first.`,
    });
  }
  const code = newSecret('iv');
  const expiresAt = now + INVITATION_DAYS * DAY_MS;
  const invitation = { id: newId('invite', now), ...wanted, createdAt: now, expiresAt };
  await insertInvitation(tx, { ...invitation, digest: digestOfSecret(code) });
  return { ...invitation, code };
}

/** A member who cannot sign in yet may be invited: accepting gives them a way in. */
async function checkNoMember(tx: Transaction, { spaceId, email }: InvitationWanted): Promise<void> {
  const memberships = await listMemberships(tx, email);
  const member = memberships.find((membership) => membership.spaceId === spaceId);
  if (member === undefined) return;
  if (member.personId === null && !(await findPerson(tx, email))?.confirmed) return;
  throw new Problem('conflict', {
    detail: `${email} is already a member of the space and can sign in.`,
    param: 'email',
  });
}
