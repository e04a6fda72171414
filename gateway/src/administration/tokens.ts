/** Administration tokens, of a space or of the installation. */

import type { Actor } from '../access/actor.ts';
import { type AdminToken, listAdminTokens, revokeAdminToken } from '../access/admin-tokens.store.ts';
import { createAdminToken } from '../access/create-admin-token.ts';
import type { Space } from '../access/spaces.store.ts';
import { TOKEN_DAYS_DEFAULT } from '../contract/administration/words.ts';
import type { Database, Transaction } from '../database/database.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { shownTime } from './read-input.ts';

const list = read('tokens.list', ({ db, now, space }, { owner, ...page }) =>
  listed(db, { spaceId: space.id, owner, ...wantedPage(page) }, now),
);

const listOfOperators = read('operatorTokens.list', ({ db, now }, { owner, everywhere = false, ...page }) =>
  listed(db, { ...(!everywhere && { spaceId: null }), owner, ...wantedPage(page) }, now),
);

const create = change('tokens.create', ({ tx, now, actor, space }, input) =>
  created(tx, { space, actor, now }, input),
);

const createForOperators = change('operatorTokens.create', ({ tx, now, actor }, input) =>
  created(tx, { space: null, actor, now }, input),
);

const revoke = change('tokens.revoke', ({ tx, now, space }, { token }) => revoked(tx, { space, now }, token));

const revokeOfOperators = change('operatorTokens.revoke', ({ tx, now }, { token }) =>
  revoked(tx, { space: null, now }, token),
);

export const tokenOperations = [
  ...[list, create, revoke],
  ...[listOfOperators, createForOperators, revokeOfOperators],
] as const;

async function listed(db: Database, of: Parameters<typeof listAdminTokens>[1], now: Instant) {
  return answeredPage(await listAdminTokens(db, of), (token) => ({
    ...shown(token, token.space),
    hint: token.hint,
    created_by: token.createdBy,
    owner: token.owner,
    active: token.isOwned && token.expiresAt > now,
    created_at: kstOf(token.createdAt),
    last_used_at: shownTime(token.lastUsedAt),
  }));
}

async function created(
  tx: Transaction,
  { space, actor, now }: { space: Space | null; actor: Actor; now: Instant },
  { name, access, days = TOKEN_DAYS_DEFAULT }: { name: string; access: 'read' | 'write'; days?: number },
) {
  const wanted = { name, access, spaceId: space?.id ?? null, createdBy: actor.name };
  const token = await createAdminToken(tx, { ...wanted, expiresAt: now + days * DAY_MS }, now);
  const facts = shown(token, space?.name ?? null);
  return { answer: { token: token.secret, ...facts }, subject: name, after: { ...facts, hint: token.hint } };
}

async function revoked(tx: Transaction, { space, now }: { space: Space | null; now: Instant }, id: string) {
  const token = await revokeAdminToken(tx, { spaceId: space?.id ?? null, id }, now);
  if (token === null)
    throw new Problem('not_found', { detail: `There is no token ${id} here.`, param: 'token' });
  const after = { revoked: true as const };
  const { name, access } = token;
  return { answer: { id, name, ...after }, subject: name, before: { access }, after };
}

function shown(
  { id, name, access, expiresAt }: Pick<AdminToken, 'id' | 'name' | 'access' | 'expiresAt'>,
  space: string | null,
) {
  return { id, name, space, access, expires_at: kstOf(expiresAt) };
}
