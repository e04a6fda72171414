/**
 * The purses that this process uses. Calls hold what they may cost from its slices, in memory. A slice that runs low is
 * asked for ahead of need; only a call that finds too little waits for an answer. If the purse is empty while other
 * processes have unused slices, these are called back first.
 */
import { DatabaseUnavailable } from '../../database/database.ts';
import { RepeatingTask } from '../../kernel/repeating-task.ts';
import type { Running } from '../../kernel/running.ts';
import type { Clock } from '../../kernel/time.ts';
import { addUnits, multiplyUnits, type Units, ZERO } from '../../kernel/units.ts';
import { type Hold, holdFrom } from './hold.ts';
import { Purse, type PurseName, purseId } from './purse.ts';
import { PurseAsks, type PurseStore } from './purse-asks.ts';

/** It is asked for again when less than this part of it is left. */
const LOW = { count: 1, per: 4 };
/** How long others have to give back what they do not use. */
export const RECALL_MS = 150;
/** An empty purse is asked again after this long, unless something is given back. */
export const EMPTY_MS = 1_000;
const TEND_MS = 1_000;
/** A slice that nobody uses is given back, and later forgotten. */
const IDLE_MS = 60_000;
const FORGET_MS = 600_000;

/** Why a purse does not suffice. `held`: running calls may still leave something of it. */
export interface PurseRefusal {
  readonly purse: Purse;
  readonly reason: 'spent' | 'held';
}

export interface HoldRequest {
  readonly names: readonly PurseName[];
  readonly amount: Units;
  /** The whole amount must be there. Otherwise a call is admitted while anything is. */
  readonly hard: boolean;
}

export interface PurseBookOptions {
  readonly clock: Clock;
  readonly store: PurseStore;
  /** While the database does not answer, a process may use what was left when it last did. */
  readonly isOutage?: () => boolean;
  readonly onTrouble?: (error: unknown) => void;
}

export class PurseBook implements Running {
  readonly #options: PurseBookOptions;
  readonly #purses = new Map<string, Purse>();
  readonly #tending: RepeatingTask;
  readonly #asks: PurseAsks;
  readonly #recalls = new Map<string, { readonly done: Promise<void>; readonly end: () => void }>();
  /** How often slices were called back, by others and by this process. */
  readonly counts = { recalled: 0, returned: 0 };

  constructor(options: PurseBookOptions) {
    this.#options = options;
    const { clock, store, onTrouble } = options;
    this.#asks = new PurseAsks({ clock, store });
    this.#tending = new RepeatingTask({
      ...{ clock, everyMs: TEND_MS, work: () => this.runOnce() },
      ...(onTrouble && { onTrouble }),
    });
  }

  get purses(): Iterable<Purse> {
    return this.#purses.values();
  }

  get size(): number {
    return this.#purses.size;
  }

  start(): void {
    this.#tending.start();
  }

  /** Gives back everything that running calls do not hold. */
  async stop(): Promise<void> {
    await this.#tending.stop();
    for (const purse of this.#purses.values()) if (purse.free > ZERO) this.#asks.giveBack(purse);
    await this.#asks.send().catch((error: unknown) => this.#options.onTrouble?.(error));
  }

  /** Throws nothing: the result is the hold, why there is none, or a promise of one of them. */
  hold(request: HoldRequest): Hold | PurseRefusal | Promise<Hold | PurseRefusal> {
    const purses = request.names.map((name) => this.#purse(name));
    const nowMs = this.#options.clock.elapsedMs();
    let lacking = false;
    for (const purse of purses) {
      if (this.#suffices(purse, request)) continue;
      const refusal = this.#knownRefusal(purse, request);
      if (refusal !== null) return refusal;
      lacking = true;
    }
    return lacking ? this.#holdAfterAsking(purses, request) : holdFrom(purses, request.amount, nowMs);
  }

  /** Asks the database about every purse again before it is used: limits or units have changed. */
  forgetAnswers(): void {
    for (const purse of this.#purses.values()) purse.answeredMs = Number.NEGATIVE_INFINITY;
  }

  /** A charge of this process that nothing was held for. */
  charge(names: readonly PurseName[], cost: Units): void {
    for (const name of names) this.#purses.get(purseId(name))?.charge(cost);
  }

  /** Another process needs what this one does not use. */
  recalled(id: string): void {
    const purse = this.#purses.get(id);
    if (purse === undefined || purse.free <= ZERO) return;
    this.counts.returned++;
    this.#asks.giveBack(purse);
    this.#asks.send();
  }

  /** Another process has given something back. */
  givenBack(id: string): void {
    this.#recalls.get(id)?.end();
  }

  /** All slices are lost: the process has registered again. */
  loseAll(): void {
    for (const purse of this.#purses.values()) purse.lose();
  }

  /** Asks ahead of need, gives back what is not used, and forgets what is long unused. */
  async runOnce(): Promise<void> {
    const nowMs = this.#options.clock.elapsedMs();
    for (const purse of this.#purses.values()) {
      const idleMs = nowMs - purse.usedMs;
      if (purse.holds === 0 && idleMs > FORGET_MS) this.#purses.delete(purse.id);
      if (purse.holds === 0 && idleMs > IDLE_MS && purse.free > ZERO) this.#asks.giveBack(purse);
      else if (this.#isLow(purse) && idleMs <= TEND_MS) this.#asks.ask({ purse, need: ZERO, hard: false });
    }
    if (this.#asks.size > 0) await this.#asks.send();
  }

  #purse(name: PurseName): Purse {
    const id = purseId(name);
    let purse = this.#purses.get(id);
    if (purse === undefined) {
      purse = new Purse(name);
      this.#purses.set(id, purse);
    }
    return purse;
  }

  #suffices(purse: Purse, { amount, hard }: HoldRequest): boolean {
    // Also for a call that costs nothing: a purse that is used up admits nothing.
    if (purse.free <= ZERO || !this.#isCurrent(purse)) return false;
    return purse.free >= amount || (!hard && this.#isLast(purse));
  }

  /** Whether the answer still holds: units may have expired since. */
  #isCurrent({ answer, answeredMs }: Purse): boolean {
    if (answer === null || answeredMs === Number.NEGATIVE_INFINITY) return false;
    return answer.validUntil === null || this.#options.clock.now() < answer.validUntil;
  }

  /** Nobody has more of it than this process. */
  #isLast({ answer, answeredMs }: Purse): boolean {
    const isFresh = this.#options.clock.elapsedMs() - answeredMs <= EMPTY_MS;
    return isFresh && answer !== null && answer.left <= ZERO && answer.others <= ZERO;
  }

  #isLow(purse: Purse): boolean {
    const { answer } = purse;
    if (answer === null || answer.left <= ZERO) return false;
    return purse.free < multiplyUnits(addUnits(purse.free, purse.held), LOW);
  }

  /** What was refused a moment ago is refused from memory, so that rejected calls do not load the database. */
  #knownRefusal(purse: Purse, { hard }: HoldRequest): PurseRefusal | null {
    if (hard || purse.free > ZERO || !this.#isCurrent(purse) || !this.#isLast(purse)) return null;
    return refusalOf(purse);
  }

  async #holdAfterAsking(purses: readonly Purse[], request: HoldRequest): Promise<Hold | PurseRefusal> {
    const { clock, isOutage } = this.#options;
    const recalled = new Set<Purse>();
    for (;;) {
      const lacking = purses.filter((purse) => !this.#suffices(purse, request));
      try {
        for (const purse of lacking) {
          // A limit may be lower than it was, and units may have expired.
          if (!this.#isCurrent(purse) && purse.free > ZERO) this.#asks.giveBack(purse);
          this.#asks.ask({ purse, need: request.amount, hard: request.hard });
        }
        if (lacking.length > 0) await this.#asks.send();
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || request.hard || !isOutage?.()) throw error;
        return this.#holdInOutage(purses, request, error);
      }
      const short = purses.find((purse) => !this.#admits(purse, request));
      if (short === undefined) return holdFrom(purses, request.amount, clock.elapsedMs());
      if (recalled.has(short) || (short.answer?.others ?? ZERO) <= ZERO) return refusalOf(short);
      recalled.add(short);
      await this.#recall(short);
    }
  }

  /** After an answer: anything is enough, unless the limit is hard. */
  #admits(purse: Purse, { amount, hard }: HoldRequest): boolean {
    return purse.free > ZERO && (purse.free >= amount || !hard);
  }

  /** Each process may use up what was left when the database last answered. */
  #holdInOutage(purses: readonly Purse[], { amount }: HoldRequest, error: unknown): Hold | PurseRefusal {
    for (const purse of purses) {
      if (purse.answer === null) throw error;
      if (addUnits(purse.free, purse.answer.left) <= ZERO) return refusalOf(purse);
    }
    return holdFrom(purses, amount, this.#options.clock.elapsedMs());
  }

  /** Resolves when others have had the time to give something back. */
  async #recall({ id }: Purse): Promise<void> {
    let recall = this.#recalls.get(id);
    if (recall === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = this.#options.clock.after(RECALL_MS, resolve);
      recall = { done: promise, end: resolve };
      this.#recalls.set(id, recall);
      this.counts.recalled++;
      promise.finally(() => {
        cancel();
        this.#recalls.delete(id);
      });
      await this.#options.store.recall(id);
    }
    await recall.done;
  }
}

function refusalOf(purse: Purse): PurseRefusal {
  const { answer } = purse;
  const taken = answer === null ? ZERO : addUnits(answer.spent, answer.reserved);
  return { purse, reason: answer !== null && taken < answer.limit ? 'held' : 'spent' };
}
