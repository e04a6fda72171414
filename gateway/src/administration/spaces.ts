/** Spaces: creating and listing them, what they may do, and invoicing their overage. */
import { Type } from 'typebox';
import {
  listSpaces,
  rateSpace,
  type Space,
  updateBlocked,
  updateKeepsResponses,
  updateOverage,
} from '../access/spaces.store.ts';
import { newId } from '../kernel/ids.ts';
import { isoOf } from '../kernel/time.ts';
import { addUnits, printUnits, ZERO } from '../kernel/units.ts';
import { readBalance } from '../ledger/balance.store.ts';
import { invoiceOverage } from '../ledger/invoices.store.ts';
import { openSpace } from '../ledger/open-space.ts';
import { readUsage } from '../responses/kept-usage.store.ts';
import { AdminError } from './admin-error.ts';
import { fields, inSpace, Note, SpaceName } from './input-fields.ts';
import { orTaken, spaceNamed } from './named-records.ts';
import { change, read } from './operation.ts';
import { rateFields, rateOf, shownRate } from './per-minute.ts';

const Switch = Type.Boolean({ description: 'True or false.' });

const create = change({
  name: 'spaces.create',
  input: fields({ name: SpaceName, overage: Type.Optional(Switch) }),
  async run({ tx, now }, { name, overage: overageAllowed = false }) {
    const made = { id: newId('spc', now), name, overageAllowed, keepsResponses: true, createdAt: now };
    await orTaken(`There is already a space ${name}.`, () => openSpace(tx, made));
    const space = { ...made, blocked: false, requestsPerMinute: null, tokensPerMinute: null };
    return { answer: shown(space), space, subject: name, after: shown(space) };
  },
});

const list = read({
  name: 'spaces.list',
  input: fields({}),
  async run({ db, clock }) {
    const spaces = await listSpaces(db);
    const kept = await readUsage(db);
    return await Promise.all(
      spaces.map(async (space) => {
        const { promo, paid, overageAccrued } = await readBalance(db, space.id, clock.now());
        return {
          ...shown(space),
          held: printUnits(addUnits(promo, paid)),
          overage: printUnits(overageAccrued),
          kept_responses: kept.get(space.id)?.responses ?? 0,
          kept_bytes: kept.get(space.id)?.bytes ?? 0,
        };
      }),
    );
  },
});

const overage = change({
  name: 'spaces.overage',
  input: fields({ ...inSpace, allowed: Switch }),
  async run({ tx }, input) {
    const space = await spaceNamed(tx, input);
    await updateOverage(tx, space.id, input.allowed);
    return changed(space, { ...space, overageAllowed: input.allowed });
  },
});

const keepResponses = change({
  name: 'spaces.keepResponses',
  input: fields({ ...inSpace, keep: Switch }),
  async run({ tx }, input) {
    const space = await spaceNamed(tx, input);
    await updateKeepsResponses(tx, space.id, input.keep);
    return changed(space, { ...space, keepsResponses: input.keep });
  },
});

const block = change({
  name: 'spaces.block',
  input: fields({ ...inSpace, blocked: Switch }),
  async run({ tx, now }, input) {
    const space = await spaceNamed(tx, input);
    await updateBlocked(tx, space.id, input.blocked ? now : null);
    return changed(space, { ...space, blocked: input.blocked });
  },
});

const rate = change({
  name: 'spaces.rate',
  input: fields({ ...inSpace, ...rateFields }),
  async run({ tx }, input) {
    const space = await spaceNamed(tx, input);
    const limits = rateOf(input);
    await rateSpace(tx, space.id, limits);
    return changed(space, { ...space, ...limits });
  },
});

const invoice = change({
  name: 'spaces.invoice',
  input: fields({ ...inSpace, note: Note }),
  async run({ tx, now }, input) {
    const space = await spaceNamed(tx, input);
    const made = { id: newId('inv', now), spaceId: space.id, note: input.note ?? '', at: now };
    const units = await invoiceOverage(tx, made);
    if (units === ZERO) throw new AdminError(`${space.name} has no overage: there is nothing to invoice.`);
    const answer = { id: made.id, space: space.name, units: printUnits(units), at: isoOf(now) };
    return { answer, space, subject: space.name, before: { overage: answer.units }, after: answer };
  },
});

export const spaceOperations = [create, list, overage, keepResponses, block, rate, invoice] as const;

function changed(before: Space, after: Space) {
  return {
    answer: shown(after),
    space: after,
    subject: after.name,
    before: shown(before),
    after: shown(after),
  };
}

function shown(space: Space) {
  const { name, id, overageAllowed, keepsResponses, blocked } = space;
  return {
    name,
    id,
    overage_allowed: overageAllowed,
    keeps_responses: keepsResponses,
    blocked,
    ...shownRate(space),
  };
}
