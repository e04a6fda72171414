/**
 * The statement of a month: what a space held and owed at its start, every kind of movement, and what it held and owed
 * at its end. All figures follow from the journal, to the last decimal.
 */

import type { Static } from 'typebox';
import type { Statement } from '../contract/administration/statements.ts';
import { movementKinds } from '../contract/administration/words.ts';
import type { Database } from '../database/database.ts';
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
  compareUnits,
  negateUnits,
  printUnits,
  subtractUnits,
  sumUnits,
  type Units,
  ZERO,
} from '../kernel/units.ts';
import type { ChargedPart, ElsewhereCorrections } from './charge-breakdown.store.ts';
import {
  chargeSources,
  type Holding,
  type Movement,
  readStatement,
  type StatementFacts,
} from './statement.store.ts';

export type MonthStatement = Omit<Static<typeof Statement>, 'space' | 'worth'>;
type StatementLine = MonthStatement['lines'][number];
type StatementBalance = MonthStatement['opening'];

export async function monthStatement(
  db: Database,
  of: { spaceId: string; month: Month; now: Instant },
): Promise<MonthStatement> {
  const { month, now } = of;
  const { facts, parts, corrected } = await readStatement(db, of);
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
    models: highestAmountFirst(parts.models, ({ model }) => model).map(({ model, ...part }) => ({
      model,
      ...chargedOf(part),
    })),
    keys: highestAmountFirst(parts.keys, ({ keyId }) => keyId).map(({ key, keyId, member, ...part }) => ({
      key,
      id: keyId,
      member,
      ...chargedOf(part),
    })),
    usage: {
      cost: printUnits(facts.usage),
      corrected_elsewhere: printUnits(facts.correctedElsewhere),
      corrected_in: corrected.in.map(shownMonth),
      corrections_of_other_months: printUnits(facts.correctionsOfOthers),
      corrections_of: corrected.of.map(shownMonth),
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
    movementKinds.indexOf(kind) * 10 + (source === null ? 0 : chargeSources.indexOf(source));
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

/** A stable order: highest amount first, then by name. */
function highestAmountFirst<Part extends ChargedPart>(
  parts: readonly Part[],
  nameOf: (part: Part) => string,
): Part[] {
  const amount = ({ charges, corrections }: Part): Units => addUnits(charges, corrections);
  return parts.toSorted((a, b) => compareUnits(amount(b), amount(a)) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

function chargedOf({ requests, unpriced, charges, corrections }: ChargedPart) {
  return {
    requests,
    unpriced,
    charges: printUnits(charges),
    corrections: printUnits(corrections),
    amount: printUnits(addUnits(charges, corrections)),
  };
}

function shownMonth({ month, entries, amount }: ElsewhereCorrections) {
  return { month, entries, amount: printUnits(amount) };
}
