/**
 * The statement of a month: what a space held and owed at its start, every kind of movement, and what it held and owed
 * at its end. All figures follow from the journal, to the last decimal.
 */

import { entryKinds } from '../contract/administration/words.ts';
import type { Queryable } from '../database/database.ts';
import {
  type Instant,
  type Month,
  monthStart,
  nextMonth,
  printMonthEnd,
  printMonthStart,
} from '../kernel/time.ts';
import {
  addUnits,
  negateUnits,
  printUnits,
  subtractUnits,
  sumUnits,
  type Units,
  ZERO,
} from '../kernel/units.ts';
import type { EntryKind } from '../ledger/postings.ts';
import {
  type ChargeSource,
  chargeSources,
  type Holding,
  type Movement,
  readStatementFacts,
  type StatementFacts,
} from './statement.store.ts';

/** Decimal strings. */
export interface StatementBalance {
  readonly promo: string;
  readonly paid: string;
  readonly total: string;
  /** What the space owes. */
  readonly overage: string;
}

export interface StatementLine {
  readonly kind: EntryKind;
  /** For charges: `calls`, `batches`, `videos`, or `opening` for everything before the journal existed. */
  readonly source: ChargeSource | null;
  /** The number of journal entries. */
  readonly entries: number;
  /** What was given, charged, expired or invoiced; a correction that gave units back is negative. */
  readonly amount: string;
  /** The changes of the balance. */
  readonly promo: string;
  readonly paid: string;
  readonly overage: string;
}

export interface MonthStatement {
  readonly month: Month;
  readonly period_start: string;
  readonly period_end: string;
  readonly opening: StatementBalance;
  readonly lines: readonly StatementLine[];
  /** Of the current month: the balance now. */
  readonly closing: StatementBalance;
  /** The sum of charges and corrections. */
  readonly charged: string;
  /** charged = cost − corrected_elsewhere + corrections_of_other_months (+ `opening`). */
  readonly usage: {
    /** What usage reports say of the month. */
    readonly cost: string;
    /** Corrections of calls of this month that were made in a later month. */
    readonly corrected_elsewhere: string;
    /** Corrections that were made in this month, of calls of earlier months. */
    readonly corrections_of_other_months: string;
  };
}

export async function monthStatement(
  db: Queryable,
  of: { spaceId: string; month: Month; now: Instant },
): Promise<MonthStatement> {
  const { month, now } = of;
  const facts = await readStatementFacts(db, of);
  const running = now >= monthStart(month) && now < monthStart(nextMonth(month));
  const movements = inOrder(running ? withDueExpiry(facts) : facts.inMonth);
  const end = minus(facts.now, facts.afterMonth);
  const closing = running ? { ...end, promo: subtractUnits(end.promo, facts.dueExpiry) } : end;
  return {
    month,
    period_start: printMonthStart(month),
    period_end: printMonthEnd(month),
    opening: balanceOf(minus(end, facts.inMonth)),
    lines: movements.map(lineOf),
    closing: balanceOf(closing),
    charged: printUnits(sumUnits(movements.filter(isCharge).map(amountOf))),
    usage: {
      cost: printUnits(facts.usage),
      corrected_elsewhere: printUnits(facts.correctedElsewhere),
      corrections_of_other_months: printUnits(facts.correctionsOfOthers),
    },
  };
}

/** Units that have expired are gone, also in the seconds before their expiry is written. */
function withDueExpiry({ inMonth, dueExpiry }: StatementFacts): readonly Movement[] {
  if (dueExpiry === ZERO) return inMonth;
  const written = inMonth.find(({ kind }) => kind === 'expiry');
  const promo = subtractUnits(written?.promo ?? ZERO, dueExpiry);
  const expiry = {
    kind: 'expiry',
    source: null,
    entries: written?.entries ?? 0,
    promo,
    paid: ZERO,
    overage: ZERO,
  };
  return [...inMonth.filter((movement) => movement !== written), expiry as Movement];
}

function inOrder(movements: readonly Movement[]): Movement[] {
  const rank = ({ kind, source }: Movement): number =>
    entryKinds.indexOf(kind) * 10 + (source === null ? 0 : chargeSources.indexOf(source));
  return movements.toSorted((a, b) => rank(a) - rank(b));
}

function minus(holding: Holding, movements: readonly Movement[]): Holding {
  const before = (account: keyof Holding): Units =>
    subtractUnits(holding[account], sumUnits(movements.map((movement) => movement[account])));
  return { promo: before('promo'), paid: before('paid'), overage: before('overage') };
}

function isCharge({ kind }: Movement): boolean {
  return kind === 'charge' || kind === 'correction';
}

/** How much the space gained by grants, or lost otherwise. An invoice takes nothing from what it holds. */
function amountOf({ kind, promo, paid, overage }: Movement): Units {
  const gained = addUnits(promo, paid);
  if (kind === 'grant') return gained;
  if (kind === 'invoice') return negateUnits(overage);
  return subtractUnits(overage, gained);
}

function lineOf(movement: Movement): StatementLine {
  const { kind, source, entries, promo, paid, overage } = movement;
  const changes = { promo: printUnits(promo), paid: printUnits(paid), overage: printUnits(overage) };
  return { kind, source, entries, amount: printUnits(amountOf(movement)), ...changes };
}

function balanceOf({ promo, paid, overage }: Holding): StatementBalance {
  return {
    promo: printUnits(promo),
    paid: printUnits(paid),
    total: printUnits(addUnits(promo, paid)),
    overage: printUnits(overage),
  };
}
