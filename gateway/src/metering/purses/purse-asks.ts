/**
 * Asks the database for parts of purses and gives parts back. Many purses share a statement, and one is under way: what is
 * asked for meanwhile is in the next one.
 */
import { DatabaseUnavailable } from '../../database/database.ts';
import { type Clock, pause } from '../../kernel/time.ts';
import { addUnits, multiplyUnits, subtractUnits, type Units, ZERO } from '../../kernel/units.ts';
import type { Purse, PurseAnswer, PurseName } from './purse.ts';

/** What a slice is to last for. */
const AHEAD_MS = 10_000;
/** A slice is at least for so many calls like the one that asks for it. */
const CALLS_AHEAD = 32;
const ASKED_MAX = 500;
/** A purse that somebody else is asking for is asked for again after this long. */
const BUSY_MS = 3;
const BUSY_TRIES_MAX = 300;

export interface PurseAsk {
  readonly name: PurseName;
  /** What a call needs. */
  readonly need: Units;
  /** What is wanted, if it is a fair part. */
  readonly want: Units;
  /** Nothing is given that is less than needed. */
  readonly hard: boolean;
}

export interface PurseStore {
  /** Null: somebody else is asking for the same purse. */
  raise(asks: readonly PurseAsk[]): Promise<Array<PurseAnswer | null>>;
  /** `kept`: what this process keeps of each. */
  giveBack(slices: ReadonlyArray<{ readonly id: string; readonly kept: Units }>): Promise<void>;
  /** Asks all other processes to give back what they do not use of a purse. */
  recall(id: string): Promise<void>;
}

interface WaitingPurse {
  readonly purse: Purse;
  readonly need: Units;
  readonly hard: boolean;
}

export class PurseAsks {
  readonly #options: { readonly clock: Clock; readonly store: PurseStore };
  readonly #asked = new Map<Purse, WaitingPurse>();
  readonly #returned = new Set<Purse>();
  #sending: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** How many parts were asked for so far. */
  asked = 0;

  constructor(options: { clock: Clock; store: PurseStore }) {
    this.#options = options;
  }

  /** How many purses the next statement is about. */
  get size(): number {
    return this.#asked.size + this.#returned.size;
  }

  /** Is part of the next statement. */
  ask({ purse, need, hard }: WaitingPurse): void {
    const asked = this.#asked.get(purse);
    const isMore = asked === undefined || need > asked.need;
    this.#asked.set(purse, { purse, need: isMore ? need : asked.need, hard: hard || asked?.hard === true });
  }

  /** Gives back what is free of a purse, with the next statement. */
  giveBack(purse: Purse): void {
    this.#returned.add(purse);
  }

  /** Resolves when everything so far is answered. Rejects with `DatabaseUnavailable`. */
  send(): Promise<void> {
    this.#next ??= (this.#sending ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        this.#sending = this.#send().finally(() => {
          this.#sending = null;
        });
        return this.#sending;
      });
    return this.#next;
  }

  async #send(): Promise<void> {
    const { store } = this.#options;
    const returned = [...this.#returned];
    this.#returned.clear();
    // From now on calls ask again. So the database has it back before anybody uses it here.
    const back = returned.map((purse) => ({ id: purse.id, kept: purse.giveBack() }));
    if (back.length > 0) await store.giveBack(back);
    const asked = [...this.#asked.values()].slice(0, ASKED_MAX);
    for (const { purse } of asked) this.#asked.delete(purse);
    if (asked.length > 0) await this.#raise(asked);
    if (this.#asked.size > 0) await this.#send();
  }

  async #raise(asked: readonly WaitingPurse[]): Promise<void> {
    const { store, clock } = this.#options;
    const nowMs = clock.elapsedMs();
    const asks = asked.map(({ purse, need, hard }) => {
      const ahead = purse.pace(nowMs, AHEAD_MS);
      const many = multiplyUnits(need, { count: CALLS_AHEAD, per: 1 });
      return {
        name: purse.name,
        need: missingOf(purse, need),
        want: ahead > many ? ahead : many,
        hard,
      };
    });
    this.asked += asks.length;
    let open = asks.map((ask, i) => ({ ask, purse: (asked[i] as WaitingPurse).purse }));
    for (let tries = 0; open.length > 0; tries++) {
      if (tries > 0) await pause(clock, BUSY_MS);
      if (tries > BUSY_TRIES_MAX) throw new DatabaseUnavailable('somebody else keeps a purse locked');
      const answers = await store.raise(open.map(({ ask }) => ask));
      open = open.filter(({ purse }, i) => {
        const answer = answers[i] ?? null;
        if (answer !== null) purse.answered(answer, clock.elapsedMs());
        return answer === null;
      });
    }
  }
}

/** What a call needs beyond what is free already, and what running calls hold without a slice. */
function missingOf(purse: Purse, need: Units): Units {
  if (purse.free <= ZERO) return addUnits(need, purse.uncovered);
  return purse.free < need ? subtractUnits(need, purse.free) : ZERO;
}
