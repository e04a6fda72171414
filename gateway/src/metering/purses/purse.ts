/**
 * A purse is what calls are paid from or counted against: the units of a space, or the monthly limit of a key or a member.
 * This is the part of it that this process may use without asking: its slice. Pure.
 */
import type { Month } from '../../kernel/time.ts';
import { addUnits, subtractUnits, type Units, ZERO } from '../../kernel/units.ts';

export type PurseKind = 'space' | 'key' | 'member';

export interface PurseName {
  readonly kind: PurseKind;
  /** Of the space, key or member. */
  readonly id: string;
  readonly spaceId: string;
  /** Units of a space know no months. */
  readonly month: Month | null;
}

export function purseId({ kind, id, month }: PurseName): string {
  return month === null ? `${kind}:${id}` : `${kind}:${id}:${month}`;
}

/** What the database says about a purse, after it has given a part of it to this process. */
export interface PurseAnswer {
  /** All that this process may charge, since it has used the purse. */
  readonly granted: Units;
  /** The limit, or what a space holds besides what is charged. */
  readonly limit: Units;
  /** What is charged. Zero for the units of a space, which are less then. */
  readonly spent: Units;
  /** What counts as spent and is not charged: batches that are not settled, calls without a price. */
  readonly reserved: Units;
  /** What is left of it and no process has. Below zero if more was given than is there now. */
  readonly left: Units;
  /** What other processes have and have not used. */
  readonly others: Units;
  /** When units expire, so that the answer is no longer true; null: never. */
  readonly validUntil: number | null;
}

export class Purse {
  readonly name: PurseName;
  readonly id: string;
  /** The last answer; null before the first. */
  answer: PurseAnswer | null = null;
  answeredMs = Number.NEGATIVE_INFINITY;
  /** When a call last used it. */
  usedMs = Number.NEGATIVE_INFINITY;
  /** What this process may charge in all, and has charged. */
  #granted: Units = ZERO;
  #charged: Units = ZERO;
  /** What running calls may cost. */
  #held: Units = ZERO;
  #holds = 0;
  /** The answer before, to see how fast it is used. */
  #chargedBefore: Units = ZERO;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(name: PurseName) {
    this.name = name;
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

  /** What running calls hold beyond the slice: one of them may cost more than expected, or the slice was lost. */
  get uncovered(): Units {
    const rest = subtractUnits(this.#granted, this.#charged);
    return subtractUnits(this.#held, rest > ZERO ? (rest < this.#held ? rest : this.#held) : ZERO);
  }

  /** What this process must keep when it gives the rest back. */
  get kept(): Units {
    return addUnits(this.#charged, this.#held);
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
    return isFirst ? ZERO : ((((used as bigint) * BigInt(aheadMs)) / BigInt(elapsedMs)) as Units);
  }

  answered(answer: PurseAnswer, nowMs: number): void {
    this.answer = answer;
    this.answeredMs = nowMs;
    this.#granted = answer.granted;
  }

  /** Gives back everything that is free. Returns what this process keeps. */
  giveBack(): Units {
    if (this.free > ZERO) this.#granted = this.kept;
    return this.#granted;
  }

  /** The slice is lost, because the process was taken for dead. What running calls hold has to be asked for again. */
  lose(): void {
    this.#granted = ZERO;
    this.#charged = ZERO;
    this.#chargedBefore = ZERO;
    this.answer = null;
    this.answeredMs = Number.NEGATIVE_INFINITY;
  }
}
