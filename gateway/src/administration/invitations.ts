/** Invitations to a space by link. */
import { createInvitation } from '../access/create-invitation.ts';
import { type Invitation, listInvitations, revokeInvitation } from '../access/invitations.store.ts';
import { invitationPath } from '../contract/invitations.ts';
import type { Page } from '../database/page.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';

const list = read('invitations.list', async ({ db, now, space }, input) => {
  const page: Page<Invitation> = await listInvitations(db, { spaceId: space.id, ...wantedPage(input) });
  return answeredPage(page, (invitation) => ({
    ...shown(invitation),
    state: stateOf(invitation, now),
    created_by: invitation.createdBy,
    created_at: kstOf(invitation.createdAt),
  }));
});

const create = change('invitations.create', async ({ tx, now, actor, space }, { email, role }) => {
  const wanted = { spaceId: space.id, email, role, createdBy: actor.name };
  const { code, ...invitation } = await createInvitation(tx, wanted, now);
  const after = shown(invitation);
  return { answer: { ...after, code, path: invitationPath(code) }, subject: email, after };
});

const revoke = change('invitations.revoke', async ({ tx, now, space }, { invitation: id }) => {
  const found = await revokeInvitation(tx, { spaceId: space.id, id }, now);
  if (found === null) {
    const detail = `There is no open invitation ${id} in ${space.name}.`;
    throw new Problem('not_found', { detail, param: 'invitation' });
  }
  const after = { revoked: true as const };
  return {
    answer: { id, email: found.email, ...after },
    subject: found.email,
    before: { role: found.role },
    after,
  };
});

export const invitationOperations = [list, create, revoke] as const;

function shown({ id, email, role, expiresAt }: Pick<Invitation, 'id' | 'email' | 'role' | 'expiresAt'>) {
  return { id, email, role, expires_at: kstOf(expiresAt) };
}

function stateOf({ acceptedAt, revokedAt, expiresAt }: Invitation, now: Instant) {
  if (acceptedAt !== null) return 'accepted' as const;
  if (revokedAt !== null) return 'revoked' as const;
  return expiresAt <= now ? ('expired' as const) : ('open' as const);
}
