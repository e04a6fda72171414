/** Units: granting them, correcting charges, and verifying the books. */
import { Type } from 'typebox';
import { newId } from '../kernel/ids.ts';
import { isoOf, kstOf } from '../kernel/time.ts';
import { printUnits, ZERO } from '../kernel/units.ts';
import { giveUnits, listGrants } from '../ledger/grants.store.ts';
import { listEntries } from '../ledger/journal.store.ts';
import { accounts } from '../ledger/postings.ts';
import { correctCall } from '../metering/corrections.store.ts';
import { verifyBooks } from '../reports/verify-books.store.ts';
import { AdminError } from './admin-error.ts';
import {
  Amount,
  fields,
  futureTime,
  generatedId,
  inSpace,
  LIST_LIMIT_DEFAULT,
  ListLimit,
  Note,
  Time,
  unitsOf,
} from './input-fields.ts';
import { spaceNamed } from './named-records.ts';
import { change, read } from './operation.ts';

const addGrant = change({
  name: 'grants.add',
  input: fields({
    amount: Amount,
    ...inSpace,
    kind: Type.Enum(['promo', 'paid']),
    expires: Type.Optional(Time),
    note: Note,
  }),
  async run({ tx, now }, input) {
    const { kind, note = '' } = input;
    const space = await spaceNamed(tx, input);
    const expiresAt = input.expires === undefined ? null : futureTime(input.expires, now);
    if (kind === 'paid' && expiresAt !== null)
      throw new AdminError('Paid units do not expire; leave expires out.');
    const grant = { id: newId('grt', now), spaceId: space.id, kind, amount: unitsOf(input.amount), note };
    await giveUnits(tx, { ...grant, expiresAt, createdAt: now });
    const answer = {
      id: grant.id,
      space: space.name,
      kind,
      amount: printUnits(grant.amount),
      expires: expiresAt === null ? null : kstOf(expiresAt),
    };
    return { answer, space, subject: grant.id, after: { ...answer, note } };
  },
});

const listOfGrants = read({
  name: 'grants.list',
  input: fields(inSpace),
  async run({ db }, input) {
    const space = await spaceNamed(db, input);
    return (await listGrants(db, space.id)).map(({ id, kind, amount, remaining, expiresAt, note }) => ({
      id,
      kind,
      amount: printUnits(amount),
      remaining: printUnits(remaining),
      expires: expiresAt === null ? null : kstOf(expiresAt),
      note,
    }));
  },
});

const correct = change({
  name: 'ledger.correct',
  input: fields({ call: generatedId('req'), amount: Amount, note: Note }),
  async run({ tx, now }, { call: callId, amount, note = '' }) {
    const cost = unitsOf(amount, { least: '0 or more' });
    const before = await correctCall(tx, { callId, cost, note, at: now });
    if (before === null) throw new AdminError(`There is no charged call ${callId}.`);
    const cost_before = before.cost === null ? null : printUnits(before.cost);
    return {
      answer: { call: callId, cost_before, cost: printUnits(cost) },
      space: { id: before.spaceId },
      subject: callId,
      before: { cost: cost_before },
      after: { cost: printUnits(cost), note },
    };
  },
});

const listJournal = read({
  name: 'ledger.list',
  input: fields({ ...inSpace, limit: ListLimit }),
  async run({ db }, input) {
    const space = await spaceNamed(db, input);
    const entries = await listEntries(db, { spaceId: space.id, limit: input.limit ?? LIST_LIMIT_DEFAULT });
    return entries.map(({ id, at, kind, ref, moves, note }) => ({
      entry: id,
      at: isoOf(at),
      kind,
      ref,
      ...Object.fromEntries(accounts.map((account) => [account, printUnits(moves[account] ?? ZERO)])),
      note,
    }));
  },
});

const verify = read({
  name: 'ledger.verify',
  input: fields({}),
  run: async ({ db }) => await verifyBooks(db),
});

export const unitOperations = [addGrant, listOfGrants, correct, listJournal, verify] as const;
