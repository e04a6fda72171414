/**
 * Asks the database for parts of purses and gives parts back. Many purses share a statement, and usually one is under way:
 * what is asked for meanwhile is in the next one. One that takes long, because a purse is locked or a connection is silent,
 * keeps nobody waiting but those who need its purses.
 */
import { DatabaseUnavailable } from '../../database/database.ts';
import type { Clock } from '../../kernel/time.ts';
import { addUnits, multiplyUnits, subtractUnits, type Units, ZERO } from '../../kernel/units.ts';
import type { Purse, PurseAnswer, PurseName, PurseQuestion, ReturnedSlice } from './purse.ts';

/** What a slice is to last for. */
const AHEAD_MS = 10_000;
/** A slice is at least for so many calls like the one that asks for it. */
const CALLS_AHEAD = 32;
const ASKED_MAX = 500;
/** A purse that somebody else is changing is asked for again after this long. */
const BUSY_MS = 3;
const BUSY_MS_MAX = 900;
/** A statement that takes longer is not waited for by those who need other purses. */
const SLOW_MS = 20;
/** Connections are few. */
const STATEMENTS_MAX = 3;

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
  /** In the order of purse ids. Null: somebody else is changing the purse. `ended`: others took this process for dead. */
  raise(asks: readonly PurseAsk[]): Promise<Array<PurseAnswer | null> | 'ended'>;
  /** Returns the purses that somebody else is changing, which are as they were. */
  giveBack(slices: readonly ReturnedSlice[]): Promise<readonly string[]>;
  /** Asks all other processes to give back what they do not use of a purse. */
  recall(id: string): Promise<void>;
}

export interface PurseAsksOptions {
  readonly clock: Clock;
  readonly store: PurseStore;
  /** What this process has charged of a purse, and the database does not have yet. */
  readonly unapplied: (name: PurseName) => Units;
  /** Registers the process again, without slices. */
  readonly onEnded: () => Promise<void>;
}

/** What is to be done with a purse. */
interface Waiting {
  readonly purse: Purse;
  /** What calls need of it; null: nothing is asked for. */
  need: Units | null;
  hard: boolean;
  /** What it would like to have besides. */
  want: Units | null;
  /** `free`: what is free is given back first. `all`: if nothing is held, the slice is gone. */
  back: 'nothing' | 'free' | 'all';
  /** Nobody waits for it, so it is sent together with others. */
  isLate: boolean;
  /** Since when somebody else is changing it. */
  busyMs: number | null;
  readonly done: PromiseWithResolvers<void>;
}

export class PurseAsks {
  readonly #options: PurseAsksOptions;
  readonly #waiting = new Map<Purse, Waiting>();
  /** Purses of statements that are under way. Each is in one at a time, so answers come in the order of questions. */
  readonly #used = new Set<Purse>();
  #underWay = 0;
  #beganMs = 0;
  #isPlanned = false;
  #freed = Promise.withResolvers<void>();
  #registering: Promise<void> | null = null;
  /** How many parts were asked for so far. */
  asked = 0;

  constructor(options: PurseAsksOptions) {
    this.#options = options;
  }

  /** Resolves when it is answered. Rejects with `DatabaseUnavailable`. */
  ask({ purse, need, hard }: { purse: Purse; need: Units; hard: boolean }): Promise<void> {
    const waiting = this.#wait(purse);
    addNeed(waiting, need, hard);
    return waiting.done.promise;
  }

  /** Gives back what is free of a purse before more of it is asked for. */
  giveBackFirst(purse: Purse): void {
    this.#wait(purse).back = 'free';
  }

  /** Gives back what is free of a purse. `forgets`: if nothing is held, the slice is gone. */
  giveBack(purse: Purse, { forgets }: { forgets: boolean } = { forgets: false }): Promise<void> {
    const waiting = this.#wait(purse);
    waiting.back = forgets ? 'all' : 'free';
    return waiting.done.promise;
  }

  /** Tries again what has failed. */
  retry(): void {
    for (const waiting of this.#waiting.values()) waiting.isLate = false;
    this.#plan();
  }

  /** Runs work that changes the slices of purses too, while nothing is asked for of these. */
  async alone<T>(purses: readonly Purse[], work: () => Promise<T>): Promise<T> {
    while (purses.some((purse) => this.#used.has(purse))) await this.#freed.promise;
    for (const purse of purses) this.#used.add(purse);
    try {
      return await work();
    } finally {
      this.#free(purses);
    }
  }

  #wait(purse: Purse, { isLate } = { isLate: false }): Waiting {
    let waiting = this.#waiting.get(purse);
    if (waiting === undefined) {
      const done = Promise.withResolvers<void>();
      // Not everybody who gives something back waits for it.
      done.promise.catch(() => undefined);
      const nothing = { need: null, hard: false, want: null, back: 'nothing', busyMs: null } as const;
      waiting = { purse, ...nothing, isLate, done };
      this.#waiting.set(purse, waiting);
    }
    if (!isLate) {
      waiting.isLate = false;
      this.#plan();
    }
    return waiting;
  }

  /** What is asked for at the same time is in the same statement. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#begin();
    });
  }

  #begin(): void {
    const { clock } = this.#options;
    const nowMs = clock.elapsedMs();
    if (this.#underWay >= STATEMENTS_MAX || (this.#underWay > 0 && nowMs - this.#beganMs < SLOW_MS)) return;
    const isFree = ({ purse }: Waiting): boolean => !this.#used.has(purse);
    const group = [...this.#waiting.values()].filter(isFree).slice(0, ASKED_MAX);
    if (!group.some(({ isLate }) => !isLate)) return;
    for (const { purse } of group) {
      this.#waiting.delete(purse);
      this.#used.add(purse);
    }
    this.#underWay++;
    this.#beganMs = nowMs;
    const cancel = clock.after(SLOW_MS, () => this.#begin());
    const end = (busy: readonly Waiting[]): void => {
      cancel();
      this.#underWay--;
      this.#free(group.filter((waiting) => !busy.includes(waiting)).map(({ purse }) => purse));
      if (busy.length > 0) clock.after(BUSY_MS, () => this.#again(busy));
    };
    this.#run(group).then(end, (error: unknown) => {
      for (const waiting of group) this.#failed(waiting, error);
      end([]);
    });
  }

  #free(purses: readonly Purse[]): void {
    for (const purse of purses) this.#used.delete(purse);
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
    this.#plan();
  }

  /** Returns those that somebody else is changing. */
  async #run(group: readonly Waiting[]): Promise<Waiting[]> {
    const kept = await this.#giveBack(group);
    const asked = group.filter((waiting) => waiting.need !== null && !kept.has(waiting));
    const answered = await this.#raise(asked);
    const open = [...kept, ...asked.filter((waiting) => !answered.has(waiting))];
    for (const waiting of group) if (!open.includes(waiting)) waiting.done.resolve();
    return open;
  }

  /** Nobody waits for it any more. What was given back or raised all the same, the next answer tells. */
  #failed({ purse, need, back, done }: Waiting, error: unknown): void {
    done.reject(error);
    const later = this.#wait(purse, { isLate: true });
    if (back !== 'nothing' && later.back === 'nothing') later.back = 'free';
    if (need !== null) later.need ??= ZERO;
  }

  #again(busy: readonly Waiting[]): void {
    const nowMs = this.#options.clock.elapsedMs();
    for (const waiting of busy) {
      waiting.busyMs ??= nowMs;
      if (nowMs - waiting.busyMs >= BUSY_MS_MAX)
        this.#failed(waiting, new DatabaseUnavailable('somebody else keeps a purse locked'));
      else this.#merge(waiting);
    }
    this.#free(busy.map(({ purse }) => purse));
  }

  /** Asks once more, together with those who have asked for it since. */
  #merge({ purse, need, hard, want, back, busyMs, done }: Waiting): void {
    const next = this.#wait(purse);
    if (need !== null) addNeed(next, need, hard);
    next.want ??= want;
    if (back !== 'nothing' && next.back === 'nothing') next.back = back;
    next.busyMs = busyMs;
    next.done.promise.then(done.resolve, done.reject);
  }

  async #giveBack(group: readonly Waiting[]): Promise<Set<Waiting>> {
    const given = group.filter(({ back }) => back !== 'nothing');
    if (given.length === 0) return new Set();
    const slices = given.map(({ purse, back }) => purse.giveBack(back === 'all'));
    const kept = new Set(await this.#options.store.giveBack(slices));
    for (const { purse } of given) if (!kept.has(purse.id)) purse.gaveBack();
    return new Set(given.filter(({ purse }) => kept.has(purse.id)));
  }

  /** Returns those that were answered. */
  async #raise(asked: readonly Waiting[]): Promise<Set<Waiting>> {
    if (asked.length === 0) return new Set();
    const { store, clock, unapplied } = this.#options;
    this.asked += asked.length;
    const nowMs = clock.elapsedMs();
    // Always in the same order, so that two processes do not wait for each other.
    const open = asked.toSorted((a, b) => (a.purse.id < b.purse.id ? -1 : 1));
    for (const waiting of open) waiting.want ??= wantOf(waiting.purse, waiting.need ?? ZERO, nowMs);
    const questions = open.map(({ purse }) => purse.asked(nowMs, unapplied(purse.name)));
    const answers = await store.raise(
      open.map(({ purse, need, want, hard }) => ({
        name: purse.name,
        need: missingOf(purse, need ?? ZERO),
        want: want ?? ZERO,
        hard,
      })),
    );
    if (answers === 'ended') {
      await this.#register();
      return new Set();
    }
    return new Set(
      open.filter(({ purse }, i) => {
        const answer = answers[i] ?? null;
        return answer !== null && purse.answered(answer, questions[i] as PurseQuestion);
      }),
    );
  }

  async #register(): Promise<void> {
    this.#registering ??= this.#options.onEnded().finally(() => {
      this.#registering = null;
    });
    await this.#registering;
  }
}

function addNeed(waiting: Waiting, need: Units, hard: boolean): void {
  if (waiting.need === null) Object.assign(waiting, { need, hard });
  // Of hard limits nothing is given that is less than needed, so not more than one call asks for is needed at once.
  else if (hard) Object.assign(waiting, { need: need > waiting.need ? need : waiting.need, hard });
  else waiting.need = addUnits(need, waiting.need);
}

function wantOf(purse: Purse, need: Units, nowMs: number): Units {
  const ahead = purse.pace(nowMs, AHEAD_MS);
  const many = multiplyUnits(need, { count: CALLS_AHEAD, per: 1 });
  return ahead > many ? ahead : many;
}

/** What a call needs beyond what is free already, and what running calls hold without a slice. */
function missingOf(purse: Purse, need: Units): Units {
  if (purse.free <= ZERO) return addUnits(need, purse.uncovered);
  return purse.free < need ? subtractUnits(need, purse.free) : ZERO;
}
