/** Spaces: creating and listing them, and invoicing their overage. What they may do is set in rules.ts. */
import type { Actor } from '../access/actor.ts';
import { initialRules } from '../access/rules.store.ts';
import type { Space } from '../access/spaces.store.ts';
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
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { shownRules } from './rule-values.ts';

const create = change('spaces.create', async ({ tx, now }, { name, overage: overageAllowed = false }) => {
  const made = { id: newId('spc', now), name, createdAt: now };
  const rules = { ...initialRules('space'), overage_allowed: overageAllowed };
  const { keeps_responses: keepsResponses } = rules;
  await orTaken(`There is already a space ${name}.`, 'name', () =>
    openSpace(tx, { ...made, overageAllowed, keepsResponses }),
  );
  const space = { ...made, rules };
  return { answer: shownSpace(space), space, subject: name, after: shownSpace(space) };
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

export const spaceOperations = [create, list, get, invoice] as const;

export async function spaceAsListed(
  db: Queryable,
  { space, now, actor }: { space: Space; now: Instant; actor: Actor },
) {
  const { rows } = await readSpacePage(db, { ids: [space.id], now, limit: 1, after: null });
  return listedSpace(rows[0] as SpaceListRow, actor);
}

function listedSpace({ can_spend, ...row }: SpaceListRow, actor: Actor) {
  const { rules: _, ...facts } = row;
  const role = roleOf(actor, row.id) ?? ('member' as const);
  return { ...shownSpace(row), can_spend, role, ...shownRow(facts) };
}

export function changedSpace(before: Space, after: Space) {
  const [from, to] = [shownSpace(before), shownSpace(after)];
  return { answer: to, subject: after.name, before: from, after: to };
}

export function shownSpace({ name, id, rules }: Omit<Space, 'createdAt'>) {
  return { name, id, ...shownRules('space', rules) };
}
