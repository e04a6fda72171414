/**
 * Charges a space. Batches and videos are charged here, and so is the difference when the cost of a call is
 * corrected. Calls are charged by the SQL function `charge_calls`, because a whole group must be one round
 * trip, and paid later by `settle_space`. Both ways take units with the SQL function `take_units` and hold the account of
 * the space meanwhile.
 *
 * The key, the model and the month of a charge are unknown here: `metering/charge-job.ts` adds the totals.
 */
import type { Transaction } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { negateUnits, type Units, ZERO } from '../kernel/units.ts';
import { lowerOverage, settleAccount } from './accounts.store.ts';
import { insertGrant } from './grants.store.ts';
import { insertEntry, takeUnits } from './journal.store.ts';
import {
  type CallCorrection,
  chargeEntry,
  loweredEntry,
  type NewEntry,
  raisedEntry,
  splitGivenBack,
} from './postings.ts';

export interface SpaceCharge {
  readonly spaceId: string;
  /** The id of the batch or video job that is charged. */
  readonly ref: string;
  readonly amount: Units;
  readonly at: Instant;
}

/**
 * Takes the units and writes the journal entry. Returns the id of the entry; null when the amount is zero.
 */
export async function chargeSpace(tx: Transaction, charge: SpaceCharge): Promise<number | null> {
  const { spaceId, amount, at } = charge;
  if (amount < ZERO) throw new RangeError(`${charge.ref} cannot be charged a negative amount`);
  if (amount === ZERO) return null;
  await settleAccount(tx, spaceId, at);
  const taken = await takeUnits(tx, { spaceId, amount, now: at });
  return await insertEntry(tx, chargeEntry(charge, taken));
}

/**
 * Charges the difference between the corrected cost of a call and its cost so far, or gives it back when it
 * is negative. Returns the id of the journal entry; null when the difference is zero.
 */
export async function correctCharge(
  tx: Transaction,
  correction: CallCorrection,
  difference: Units,
): Promise<number | null> {
  if (difference === ZERO) return null;
  const entry =
    difference > ZERO
      ? await raiseCharge(tx, correction, difference)
      : await lowerCharge(tx, correction, negateUnits(difference));
  return await insertEntry(tx, entry);
}

async function raiseCharge(tx: Transaction, correction: CallCorrection, amount: Units): Promise<NewEntry> {
  const { spaceId, at } = correction;
  await settleAccount(tx, spaceId, at);
  return raisedEntry(correction, amount, await takeUnits(tx, { spaceId, amount, now: at }));
}

async function lowerCharge(tx: Transaction, correction: CallCorrection, amount: Units): Promise<NewEntry> {
  const { callId, spaceId, at } = correction;
  const back = splitGivenBack(amount, await settleAccount(tx, spaceId, at));
  const grantId = newId('grt', at);
  if (back.overage > ZERO) await lowerOverage(tx, spaceId, back.overage);
  if (back.paid > ZERO) {
    const given = { id: grantId, spaceId, kind: 'paid', amount: back.paid } as const;
    await insertGrant(tx, { ...given, expiresAt: null, note: `correction of ${callId}`, createdAt: at });
  }
  return loweredEntry(correction, back, grantId);
}
