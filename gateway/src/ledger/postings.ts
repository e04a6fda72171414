/**
 * The movements of units, as entries of the journal. Pure; each sums to zero, and the database checks
 * that again. Charges of calls are not here: the statement that records calls writes them itself.
 */
import type { Instant } from '../kernel/time.ts';
import { addUnits, negateUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';

export type EntryKind = 'grant' | 'charge' | 'correction' | 'expiry' | 'invoice';

/** The accounts of a space, in the order of the columns. What each holds is told in docs/money.md. */
export const accounts = ['issued', 'promo', 'paid', 'overage', 'spent', 'expired', 'invoiced'] as const;
export type Account = (typeof accounts)[number];
export type Moves = Readonly<Partial<Record<Account, Units>>>;

export interface NewEntry {
  readonly spaceId: string;
  readonly kind: EntryKind;
  /** The grant, call or invoice it is about. */
  readonly ref: string;
  /** What moves on each account; the others stay. */
  readonly moves: Moves;
  /** Of which grants the held units are. */
  readonly grants: ReadonlyArray<{ readonly id: string; readonly part: Units }>;
  readonly note: string;
  readonly at: Instant;
}

export type GrantKind = 'promo' | 'paid';

export interface GivenUnits {
  readonly id: string;
  readonly spaceId: string;
  readonly kind: GrantKind;
  readonly amount: Units;
  readonly note: string;
  readonly createdAt: Instant;
}

export function grantEntry(grant: GivenUnits): NewEntry {
  const { id, spaceId, kind, amount, note, createdAt } = grant;
  return {
    spaceId,
    kind: 'grant',
    ref: id,
    moves: { issued: negateUnits(amount), [kind]: amount },
    grants: [{ id, part: amount }],
    note,
    at: createdAt,
  };
}

export function invoiceEntry(invoice: {
  readonly id: string;
  readonly spaceId: string;
  readonly amount: Units;
  readonly note: string;
  readonly at: Instant;
}): NewEntry {
  const { id, spaceId, amount, note, at } = invoice;
  const moves = { overage: amount, invoiced: negateUnits(amount) };
  return { spaceId, kind: 'invoice', ref: id, moves, grants: [], note, at };
}

export interface CallCorrection {
  readonly callId: string;
  readonly spaceId: string;
  readonly note: string;
  readonly at: Instant;
}

/** The call should have cost more: `taken` is what charging took for the difference. */
export function raisedEntry(
  correction: CallCorrection,
  difference: Units,
  taken: Pick<NewEntry, 'moves' | 'grants'>,
): NewEntry {
  const { callId, spaceId, note, at } = correction;
  const moves = { ...taken.moves, spent: difference };
  return { spaceId, kind: 'correction', ref: callId, moves, grants: taken.grants, note, at };
}

export interface GivenBack {
  /** Lowers what is owed. */
  readonly overage: Units;
  /** Comes back as paid units: whatever was owed was paid for, or the units were the space's own. */
  readonly paid: Units;
}

/** Units go back the way they came last: off the overage that is still owed, the rest as paid units. */
export function splitGivenBack(difference: Units, overageAccrued: Units): GivenBack {
  const overage = difference < overageAccrued ? difference : overageAccrued;
  return { overage, paid: subtractUnits(difference, overage) };
}

/** The call should have cost less. `grantId` names the grant that what is not owed comes back as. */
export function loweredEntry(correction: CallCorrection, back: GivenBack, grantId: string): NewEntry {
  const { callId, spaceId, note, at } = correction;
  return {
    spaceId,
    kind: 'correction',
    ref: callId,
    moves: { ...back, spent: negateUnits(addUnits(back.overage, back.paid)) },
    grants: back.paid === ZERO ? [] : [{ id: grantId, part: back.paid }],
    note,
    at,
  };
}
