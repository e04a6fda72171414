/**
 * A purse is what calls are paid from or counted against: the units of a space, the monthly limit of a key or a member, or a
 * hard budget.
 * This is the part of it that this process may use without asking: its slice. Pure.
 */
import { type Period, type WindowName, windowOf } from '../../kernel/period.ts';
import type { Instant } from '../../kernel/time.ts';
import { addUnits, subtractUnits, type Units, ZERO } from '../../kernel/units.ts';

export const purseKinds = ['space', 'key', 'member', 'budget'] as const;
export type PurseKind = (typeof purseKinds)[number];

export interface PurseName {
  readonly kind: PurseKind;
  /** Of the space, key or member; of a budget with the value that it is for. */
  readonly id: string;
  readonly spaceId: string;
  /** What is counted in it starts again with each of these. Absent: a month. */
  readonly period?: Period;
  /** Units of a space, and budgets for all time, have no windows. */
  readonly window: WindowName | null;
}

export function purseId({ kind, id, window }: PurseName): string {
  return window === null ? `${kind}:${id}` : `${kind}:${id}:${window}`;
}

/** The purse of the window in which a call counts that ends at `at`. */
export function purseAt(name: PurseName, at: Instant): PurseName {
  if (name.window === null) return name;
  const window = windowOf(name.period ?? 'month', at);
  return window === name.window ? name : { ...name, window };
}

/** What the database says about a purse, after it has given a part of it to this process. */
export interface PurseAnswer {
  /** All that this process may charge, since it began. */
  readonly granted: Units;
  /** What it has charged of that, as far as the database has it. */
  readonly own: Units;
  /** The limit, or what a space holds besides what is charged. */
  readonly limit: Units;
  /** What is charged. Zero for the units of a space, which are less then. */
  readonly spent: Units;
  /** What counts as spent and is not charged: batches and videos, calls without a price, calls that dead processes left. */
  readonly reserved: Units;
  /** What is left of it and no process has. Below zero if more was given than is there now. */
  readonly left: Units;
  /** What other processes have and have not used. */
  readonly others: Units;
  /** How often the slice was raised. */
  readonly turn: number;
  /** When units expire, which the answer does not know; null: never. */
  readonly validUntil: number | null;
}

export interface ReturnedSlice {
  readonly id: string;
  /** What this process keeps; null: it does not use the purse any more. */
  readonly kept: Units | null;
  /** If the slice was raised since, nothing is taken back. */
  readonly turn: number;
}

export interface PurseQuestion {
  /** How often the slice was lost before. */
  readonly losses: number;
  readonly nowMs: number;
  readonly unapplied: Units;
  readonly charged: Units;
}

/** Nothing was charged in a month that has begun; null if nothing is known of the month before. */
export function newMonth(limit: Units, before: PurseAnswer | null): PurseAnswer | null {
  if (before === null) return null;
  const { reserved } = before;
  const left = subtractUnits(limit, reserved);
  return {
    granted: ZERO,
    own: ZERO,
    spent: ZERO,
    others: ZERO,
    limit,
    reserved,
    left,
    validUntil: null,
    turn: 0,
  };
}

export class Purse {
  readonly name: PurseName;
  readonly id: string;
  /** The last answer; null before the first. */
  answer: PurseAnswer | null = null;
  /** When it was asked for. */
  answeredMs = Number.NEGATIVE_INFINITY;
  /** When a call last used it, or wanted to. */
  usedMs: number;
  /** What this process may charge in all, and has charged, since it began. */
  #granted: Units = ZERO;
  #charged: Units = ZERO;
  /** What running calls may cost. */
  #held: Units = ZERO;
  #holds = 0;
  /** The answer before, to see how fast it is used. */
  #chargedBefore: Units = ZERO;
  #askedMs = Number.NEGATIVE_INFINITY;
  #losses = 0;
  /** What is left of the slice when the database has what is being given back. */
  #keeping: Units | null = null;

  constructor(name: PurseName, nowMs: number) {
    this.name = name;
    this.usedMs = nowMs;
    this.id = purseId(name);
  }

  get held(): Units {
    return this.#held;
  }

  /** How many calls hold something of it. */
  get holds(): number {
    return this.#holds;
  }

  /** What may be held now without asking. */
  get free(): Units {
    return subtractUnits(subtractUnits(this.#granted, this.#charged), this.#held);
  }

  /** What is charged by everybody, as far as it is known here. */
  get spent(): Units {
    const { answer } = this;
    return answer === null ? ZERO : addUnits(answer.spent, subtractUnits(this.#charged, answer.own));
  }

  /** What running calls hold beyond the slice: one of them may cost more than expected, or the slice was lost. */
  get uncovered(): Units {
    const rest = subtractUnits(this.#granted, this.#charged);
    return subtractUnits(this.#held, rest > ZERO ? (rest < this.#held ? rest : this.#held) : ZERO);
  }

  hold(amount: Units, nowMs: number): void {
    this.#held = addUnits(this.#held, amount);
    this.#holds++;
    this.usedMs = nowMs;
  }

  /** A call that holds something of it holds this much more. */
  holdMore(amount: Units): void {
    this.#held = addUnits(this.#held, amount);
  }

  /** The call that held `amount` costs `cost`. */
  settle(amount: Units, cost: Units): void {
    this.#held = subtractUnits(this.#held, amount);
    this.#holds--;
    this.#charged = addUnits(this.#charged, cost);
  }

  /** What a call held is reserved elsewhere, and no longer part of the slice. */
  move(amount: Units): void {
    this.#held = subtractUnits(this.#held, amount);
    this.#holds--;
    this.#granted = subtractUnits(this.#granted, amount);
    // The answer does not have the reserve.
    this.answeredMs = Number.NEGATIVE_INFINITY;
  }

  /** A charge that nothing was held for. */
  charge(cost: Units): void {
    this.#charged = addUnits(this.#charged, cost);
  }

  /** How much to ask for, beside what a call needs: what it uses in `aheadMs`. */
  pace(nowMs: number, aheadMs: number): Units {
    const elapsedMs = Math.max(Math.ceil(nowMs - this.#askedMs), 1);
    const used = subtractUnits(this.#charged, this.#chargedBefore);
    this.#chargedBefore = this.#charged;
    const isFirst = this.#askedMs === Number.NEGATIVE_INFINITY;
    this.#askedMs = nowMs;
    return isFirst || used < ZERO
      ? ZERO
      : ((((used as bigint) * BigInt(aheadMs)) / BigInt(elapsedMs)) as Units);
  }

  /** What is known when the database is asked. `unapplied`: what this process has charged, and the database has not. */
  asked(nowMs: number, unapplied: Units): PurseQuestion {
    return { nowMs, unapplied, charged: this.#charged, losses: this.#losses };
  }

  /** False: the slice of the answer is lost. */
  answered(answer: PurseAnswer, asked: PurseQuestion): boolean {
    if (asked.losses !== this.#losses) return false;
    const known = addUnits(answer.own, asked.unapplied);
    // The answer may have it or not.
    const since = subtractUnits(this.#charged, asked.charged);
    // While calls run, some may be charged and not be settled here.
    if (this.answer === null) this.#charged = addUnits(known, since);
    else if (this.#holds === 0 && since === ZERO) this.#charged = known;
    this.answer = answer;
    this.answeredMs = asked.nowMs;
    this.#granted = answer.granted;
    return true;
  }

  /**
   * Gives back everything that is free; `kept` is null if nothing is held and it forgets the slice. Until the database has it, calls
   * ask again before they use it. If it does not get there, they may use it in an outage.
   */
  giveBack(forgets = false): ReturnedSlice {
    const { id } = this;
    const turn = this.answer?.turn ?? 0;
    const kept = this.free > ZERO ? addUnits(this.#charged, this.#held) : this.#granted;
    this.#keeping = kept;
    // The purse has more than the last answer says.
    this.answeredMs = Number.NEGATIVE_INFINITY;
    return { id, turn, kept: forgets && this.#holds === 0 ? null : kept };
  }

  /** The database has what was given back. */
  gaveBack(): void {
    if (this.#keeping !== null && this.#keeping < this.#granted) this.#granted = this.#keeping;
    this.#keeping = null;
  }

  /** The slice is lost, because the process was taken for dead. What running calls hold has to be asked for again. */
  lose(): void {
    this.#losses++;
    this.#keeping = null;
    this.#granted = ZERO;
    this.#charged = ZERO;
    this.#chargedBefore = ZERO;
    this.answer = null;
    this.answeredMs = Number.NEGATIVE_INFINITY;
  }
}
