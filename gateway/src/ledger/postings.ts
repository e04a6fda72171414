/**
 * The posting templates: which accounts each kind of journal entry moves. Pure. Every entry sums to zero, and
 * the database checks that again. Three templates are SQL: charges of calls (`charge_calls`), their
 * payments (`pay_due`) and expiry (`expire_units`), which are written for many spaces at once.
 */
import type { entryKinds, movementKinds } from '../contract/administration/words.ts';
import type { Instant } from '../kernel/time.ts';
import { addUnits, negateUnits, subtractUnits, type Units, ZERO } from '../kernel/units.ts';

export type EntryKind = (typeof entryKinds)[number];
export type MovementKind = (typeof movementKinds)[number];

/** The accounts of a space, in the order of the columns. README.md says what each one holds. */
export const accounts = [
  'issued',
  'promo',
  'paid',
  'overage',
  'spent',
  'expired',
  'invoiced',
  'due',
] as const;
export type Account = (typeof accounts)[number];
export type Moves = Readonly<Partial<Record<Account, Units>>>;

export interface NewEntry {
  readonly spaceId: string;
  readonly kind: EntryKind;
  /** The id of the grant, call, batch, video job or invoice. */
  readonly ref: string;
  /** The change of each account; accounts that are not named do not change. */
  readonly moves: Moves;
  /** The grants whose units the entry moves, and how much of each. */
  readonly grants: ReadonlyArray<{ readonly id: string; readonly part: Units }>;
  readonly note: string;
  readonly at: Instant;
}

/** What charging took: negative amounts, and the grants they came from. */
export type TakenUnits = Pick<NewEntry, 'moves' | 'grants'>;

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

export function chargeEntry(
  charge: {
    readonly spaceId: string;
    readonly ref: string;
    readonly amount: Units;
    readonly at: Instant;
  },
  taken: TakenUnits,
): NewEntry {
  const { spaceId, ref, amount, at } = charge;
  const moves = { ...taken.moves, spent: amount };
  return { spaceId, kind: 'charge', ref, moves, grants: taken.grants, note: '', at };
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
export function raisedEntry(correction: CallCorrection, difference: Units, taken: TakenUnits): NewEntry {
  const { callId, spaceId, note, at } = correction;
  const moves = { ...taken.moves, spent: difference };
  return { spaceId, kind: 'correction', ref: callId, moves, grants: taken.grants, note, at };
}

export interface GivenBack {
  /** Lowers the overage that is still owed. */
  readonly overage: Units;
  /** Becomes a new grant of paid units, also where promo units had paid for the call. */
  readonly paid: Units;
}

/** Lowers the overage first, because it was charged last; the rest becomes paid units. */
export function splitGivenBack(difference: Units, overageAccrued: Units): GivenBack {
  const overage = difference < overageAccrued ? difference : overageAccrued;
  return { overage, paid: subtractUnits(difference, overage) };
}

/** The call should have cost less. `grantId` is the id of the new grant of paid units, if there is one. */
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
