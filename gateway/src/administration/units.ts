/** Units: giving them, correcting what was charged, and proving the books. */
import type { Space } from '../access/spaces.store.ts';
import { newId } from '../kernel/ids.ts';
import { isoOf, kstOf } from '../kernel/time.ts';
import { printUnits, ZERO } from '../kernel/units.ts';
import { giveUnits, listGrants } from '../ledger/grants.store.ts';
import { listEntries } from '../ledger/journal.store.ts';
import { accounts, type GrantKind } from '../ledger/postings.ts';
import { correctCall } from '../metering/corrections.store.ts';
import { verifyBooks } from '../reports/verify-books.store.ts';
import { amount, expiry, note, spaceNamed, text, whole } from './args.ts';
import { type AdminCommands, AdminError, change, question } from './command.ts';

const CALL_ID = /^req_[0-9a-z]{26}$/;

export const unitCommands: AdminCommands = {
  'grants.add': change('grants.add', async (tx, args, now) => {
    const space = await spaceNamed(tx, args);
    const kind = text(args, 'kind', /^(promo|paid)$/) as GrantKind;
    const expiresAt = typeof args.expires === 'string' ? expiry(args.expires, now) : null;
    if (kind === 'paid' && expiresAt !== null)
      throw new AdminError('Paid units do not expire; leave --expires out.');
    const given = { id: newId('grt', now), spaceId: space.id, kind, amount: amount(args), note: note(args) };
    await giveUnits(tx, { ...given, expiresAt, createdAt: now });
    const answer = {
      id: given.id,
      space: space.name,
      kind,
      amount: printUnits(given.amount),
      expires: expiresAt === null ? null : kstOf(expiresAt),
    };
    return { answer, space, subject: given.id, after: { ...answer, note: given.note } };
  }),

  'grants.list': question(async ({ db }, args) => {
    const space = await spaceNamed(db, args);
    return (await listGrants(db, space.id)).map(
      ({ id, kind, amount: given, remaining, expiresAt, note: why }) => ({
        id,
        kind,
        amount: printUnits(given),
        remaining: printUnits(remaining),
        expires: expiresAt === null ? null : kstOf(expiresAt),
        note: why,
      }),
    );
  }),

  'ledger.correct': change('ledger.correct', async (tx, args, now) => {
    const callId = text(args, 'call', CALL_ID);
    const cost = amount(args, '0 or more');
    const before = await correctCall(tx, { callId, cost, note: note(args), at: now });
    if (before === null) throw new AdminError(`There is no call ${callId} that was charged.`);
    const cost_before = before.cost === null ? null : printUnits(before.cost);
    const space: Pick<Space, 'id'> = { id: before.spaceId };
    return {
      answer: { call: callId, cost_before, cost: printUnits(cost) },
      space,
      subject: callId,
      before: { cost: cost_before },
      after: { cost: printUnits(cost), note: note(args) },
    };
  }),

  'ledger.list': question(async ({ db }, args) => {
    const space = await spaceNamed(db, args);
    const limit = whole(args, 'limit', { min: 1, max: 1_000, unless: 20 });
    return (await listEntries(db, { spaceId: space.id, limit })).map(
      ({ id, at, kind, ref, moves, note: why }) => ({
        entry: id,
        at: isoOf(at),
        kind,
        ref,
        ...Object.fromEntries(accounts.map((account) => [account, printUnits(moves[account] ?? ZERO)])),
        note: why,
      }),
    );
  }),

  'ledger.verify': question(async ({ db }) => await verifyBooks(db)),
};
