/** Spaces: creating them, what they may do, and invoicing their overage. */
import type { Actor } from '../access/actor.ts';
import {
  rateSpace,
  type Space,
  updateBlocked,
  updateKeepsResponses,
  updateOverage,
  updateUnpriced,
} from '../access/spaces.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { type Instant, kstOf } from '../kernel/time.ts';
import { printUnits, ZERO } from '../kernel/units.ts';
import { invoiceOverage } from '../ledger/invoices.store.ts';
import { openSpace } from '../ledger/open-space.ts';
import { readSpacePage, type SpaceListRow } from '../reports/lists/space-page.store.ts';
import { roleOf } from './authorize.ts';
import { orTaken } from './named-records.ts';
import { change, read } from './operation.ts';
import { answeredPage, wantedPage } from './page.ts';
import { rateOf, shownRate } from './read-input.ts';

const create = change('spaces.create', async ({ tx, now }, { name, overage: overageAllowed = false }) => {
  const made = { id: newId('spc', now), name, overageAllowed, keepsResponses: true, createdAt: now };
  await orTaken(`There is already a space ${name}.`, 'name', () => openSpace(tx, made));
  const space = {
    ...made,
    blocked: false,
    unpricedAllowed: false,
    requestsPerMinute: null,
    tokensPerMinute: null,
  };
  return { answer: shownSpace(space), space, subject: name, after: shownSpace(space) };
});

const overage = change('spaces.overage', async ({ tx, space }, { allowed }) => {
  await updateOverage(tx, space.id, allowed);
  return changed(space, { ...space, overageAllowed: allowed });
});

const keepResponses = change('spaces.keepResponses', async ({ tx, space }, { keep }) => {
  await updateKeepsResponses(tx, space.id, keep);
  return changed(space, { ...space, keepsResponses: keep });
});

const unpriced = change('spaces.unpriced', async ({ tx, space }, { allowed }) => {
  await updateUnpriced(tx, space.id, allowed);
  return changed(space, { ...space, unpricedAllowed: allowed });
});

const block = change('spaces.block', async ({ tx, now, space }, { blocked }) => {
  await updateBlocked(tx, space.id, blocked ? now : null);
  return changed(space, { ...space, blocked });
});

const rate = change('spaces.rate', async ({ tx, space }, input) => {
  const limits = rateOf(input);
  await rateSpace(tx, space.id, limits);
  return changed(space, { ...space, ...limits });
});

const invoice = change('spaces.invoice', async ({ tx, now, space }, { note = '' }) => {
  const made = { id: newId('inv', now), spaceId: space.id, note, at: now };
  const units = await invoiceOverage(tx, made);
  if (units === ZERO)
    throw new Problem('conflict', { detail: `${space.name} has no overage: there is nothing to invoice.` });
  const answer = { id: made.id, space: space.name, units: printUnits(units), at: kstOf(now) };
  return { answer, subject: space.name, before: { overage: answer.units }, after: answer };
});

const list = read('spaces.list', async ({ db, now, actor }, input) => {
  const ids = actor.isOperator ? null : actor.memberships.map(({ spaceId }) => spaceId);
  const page = await readSpacePage(db, { ids, search: input.search, now, ...wantedPage(input) });
  return answeredPage(page, (row) => listedSpace(row, actor));
});

const get = read(
  'spaces.get',
  async ({ db, now, space, actor }) => await spaceAsListed(db, { space, now, actor }),
);

export const spaceOperations = [
  ...[create, list, get, overage, keepResponses, unpriced, block, rate, invoice],
] as const;

export async function spaceAsListed(
  db: Queryable,
  { space, now, actor }: { space: Space; now: Instant; actor: Actor },
) {
  const { rows } = await readSpacePage(db, { ids: [space.id], now, limit: 1, after: null });
  return listedSpace(rows[0] as SpaceListRow, actor);
}

function listedSpace(row: SpaceListRow, actor: Actor) {
  return {
    ...shownSpace({ ...row, blocked: row.blockedByOperator }),
    can_spend: !row.blocked,
    role: roleOf(actor, row.id) ?? ('member' as const),
    held: row.held,
    overage: row.overage,
    reserved: row.reserved,
    spent: row.spent,
    members: row.members,
    active_keys: row.activeKeys,
    created_at: kstOf(row.createdAt),
    kept_responses: row.keptResponses,
    kept_bytes: row.keptBytes,
  };
}

function changed(before: Space, after: Space) {
  const [from, to] = [shownSpace(before), shownSpace(after)];
  return { answer: to, subject: after.name, before: from, after: to };
}

export function shownSpace(space: Omit<Space, 'createdAt'>) {
  const { name, id, overageAllowed, keepsResponses, unpricedAllowed, blocked } = space;
  return {
    name,
    id,
    overage_allowed: overageAllowed,
    keeps_responses: keepsResponses,
    unpriced_allowed: unpricedAllowed,
    blocked,
    ...shownRate(space),
  };
}
