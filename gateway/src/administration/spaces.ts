import {
  listSpaces,
  rateSpace,
  type Space,
  updateBlocked,
  updateKeepsResponses,
  updateOverage,
} from '../access/spaces.store.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import { isoOf } from '../kernel/time.ts';
import { addUnits, printUnits, ZERO } from '../kernel/units.ts';
import { readBalance } from '../ledger/balance.store.ts';
import { invoiceOverage } from '../ledger/invoices.store.ts';
import { openSpace } from '../ledger/open-space.ts';
import { readUsage } from '../responses/kept-usage.store.ts';
import { NAME, note, ON_OFF, orTaken, rateOf, spaceNamed, text } from './args.ts';
import { type AdminArgs, type AdminCommands, AdminError, change, type Done, question } from './command.ts';

export const spaceCommands: AdminCommands = {
  'spaces.create': change('spaces.create', async (tx, args, now) => {
    const name = text(args, 'name', NAME);
    const overageAllowed = args.overage === true;
    const made = { id: newId('spc', now), name, overageAllowed, keepsResponses: true, createdAt: now };
    await orTaken(`There is already a space ${name}.`, () => openSpace(tx, made));
    const space = { ...made, blocked: false, requestsPerMinute: null, tokensPerMinute: null };
    return { answer: shown(space), space, subject: name, after: shown(space) };
  }),

  'spaces.list': question(async ({ db, clock }) => {
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
  }),

  'spaces.overage': change('spaces.overage', async (tx, args) => {
    const { space, on } = await switched(tx, args);
    await updateOverage(tx, space.id, on);
    return changed(space, { ...space, overageAllowed: on });
  }),

  'spaces.keepResponses': change('spaces.keepResponses', async (tx, args) => {
    const { space, on } = await switched(tx, args);
    await updateKeepsResponses(tx, space.id, on);
    return changed(space, { ...space, keepsResponses: on });
  }),

  'spaces.block': change('spaces.block', async (tx, args, now) => {
    const { space, on } = await switched(tx, args);
    await updateBlocked(tx, space.id, on ? now : null);
    return changed(space, { ...space, blocked: on });
  }),

  'spaces.rate': change('spaces.rate', async (tx, args) => {
    const space = await spaceNamed(tx, args);
    const rate = rateOf(args);
    await rateSpace(tx, space.id, rate);
    return changed(space, { ...space, ...rate });
  }),

  'spaces.invoice': change('spaces.invoice', async (tx, args, now) => {
    const space = await spaceNamed(tx, args);
    const invoice = { id: newId('inv', now), spaceId: space.id, note: note(args), at: now };
    const units = await invoiceOverage(tx, invoice);
    if (units === ZERO) throw new AdminError(`${space.name} owes nothing: there is nothing to invoice.`);
    const answer = { id: invoice.id, space: space.name, units: printUnits(units), at: isoOf(now) };
    return { answer, space, subject: space.name, before: { overage: answer.units }, after: answer };
  }),
};

async function switched(tx: Queryable, args: AdminArgs): Promise<{ space: Space; on: boolean }> {
  return { space: await spaceNamed(tx, args), on: text(args, 'state', ON_OFF) === 'on' };
}

function changed(before: Space, after: Space): Done {
  return {
    answer: shown(after),
    space: after,
    subject: after.name,
    before: shown(before),
    after: shown(after),
  };
}

function shown(space: Space) {
  const { name, id, overageAllowed, keepsResponses, blocked, requestsPerMinute, tokensPerMinute } = space;
  return {
    name,
    id,
    overage_allowed: overageAllowed,
    keeps_responses: keepsResponses,
    blocked,
    requests_per_minute: requestsPerMinute ?? 'none',
    tokens_per_minute: tokensPerMinute ?? 'none',
  };
}
