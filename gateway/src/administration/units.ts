/** Units: granting them, correcting charges, and verifying the books. */
import type { InputOf, ResultOf } from '../contract/administration/admin-endpoints.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { addUnits, printUnits } from '../kernel/units.ts';
import { lockAccount } from '../ledger/accounts.store.ts';
import { giveUnits } from '../ledger/grants.store.ts';
import { billLater } from '../metering/bill-later.ts';
import { correctCall } from '../metering/corrections.store.ts';
import { FORGIVEN_MAX, forgiveCalls } from '../metering/forgive.store.ts';
import type { ProviderCost } from '../pricing/provider-cost.ts';
import { readEntryPage, readGrantPage, readInvoicePage } from '../reports/lists/journal-page.store.ts';
import { verifyBooks } from '../reports/verify-books.store.ts';
import { forgiveVideos } from '../video/forgive-videos.ts';
import { type Changed, type ChangeTools, change, read } from './operation.ts';
import { answeredPage, shownRow, wantedPage } from './page.ts';
import { futureTime, readRange, shownTime, unitsOf } from './read-input.ts';

const addGrant = change('grants.add', async ({ tx, now, space }, input) => {
  const { kind, note = '' } = input;
  const expiresAt = input.expires === undefined ? null : futureTime(input.expires, now);
  if (kind === 'paid' && expiresAt !== null)
    throw new Problem('invalid_parameter', {
      detail: 'Paid units do not expire; leave expires out.',
      param: 'expires',
    });
  const grant = { id: newId('grt', now), spaceId: space.id, kind, amount: unitsOf(input.amount), note };
  await giveUnits(tx, { ...grant, expiresAt, createdAt: now });
  const answer = {
    id: grant.id,
    space: space.name,
    kind,
    amount: printUnits(grant.amount),
    expires_at: shownTime(expiresAt),
  };
  return { answer, subject: grant.id, after: { ...answer, note } };
});

const correct = change('ledger.correct', correctCost, async ({ call }, { db, billing }) =>
  billing ? await billLater(db, call, billing) : null,
);

async function correctCost(
  { tx, now, prepared: providerCost }: ChangeTools<'ledger.correct', ProviderCost | null>,
  { call: callId, amount, note = '' }: InputOf<'ledger.correct'>,
): Promise<Changed<ResultOf<'ledger.correct'>>> {
  const cost = unitsOf(amount, { least: '0 or more' });
  const before = await correctCall(tx, { callId, cost, note, at: now, providerCost });
  if (before === null)
    throw new Problem('not_found', { detail: `There is no charged call ${callId}.`, param: 'call' });
  const cost_before = before.cost === null ? null : printUnits(before.cost);
  return {
    answer: { call: callId, cost_before, cost: printUnits(cost) },
    space: { id: before.spaceId },
    subject: callId,
    before: { cost: cost_before },
    after: { cost: printUnits(cost), note },
  };
}

const forgive = change('ledger.forgive', async ({ tx, now, space }, { ref, model, note = '' }) => {
  const of = { spaceId: space.id, ref: ref ?? null, model: model ?? null, note, at: now };
  await lockAccount(tx, space.id);
  const [calls, videos] = [await forgiveCalls(tx, of), await forgiveVideos(tx, of)];
  const requests = calls.requests + videos.requests;
  if (ref !== undefined && requests === 0)
    throw new Problem('not_found', {
      detail: `${space.name} has no request ${ref} without a price.`,
      param: 'ref',
    });
  const complete = Math.max(calls.requests, videos.requests) < FORGIVEN_MAX;
  const units = printUnits(addUnits(calls.units, videos.units));
  const answer = { space: space.name, requests, units, complete };
  return { answer, subject: ref ?? space.name, after: { ...answer, ...(model && { model }), note } };
});

const verify = read('ledger.verify', async ({ db }) => {
  const { spaces, disagreements } = await verifyBooks(db);
  return { spaces: [...spaces], disagreements: disagreements.map((one) => ({ ...one })) };
});

const listOfGrants = read('grants.list', async ({ db, now, space }, input) => {
  const { kind, expired } = input;
  const page = await readGrantPage(db, { spaceId: space.id, now, kind, expired, ...wantedPage(input) });
  return answeredPage(page, shownRow);
});

const journal = read('ledger.list', async ({ db, space }, input) => {
  const of = { spaceId: space.id, kind: input.kind, ...readRange(input), ...wantedPage(input) };
  return answeredPage(await readEntryPage(db, of), shownRow);
});

const listOfInvoices = read('invoices.list', async ({ db, space }, input) => {
  const page = await readInvoicePage(db, { spaceId: space.id, ...readRange(input), ...wantedPage(input) });
  return answeredPage(page, shownRow);
});

export const unitOperations = [
  addGrant,
  listOfGrants,
  correct,
  forgive,
  journal,
  listOfInvoices,
  verify,
] as const;
