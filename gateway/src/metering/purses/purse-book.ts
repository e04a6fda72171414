/**
 * The purses that this process uses. Calls hold what they may cost from its slices, in memory. A slice that runs low is
 * asked for ahead of need; only a call that finds too little waits for an answer. If the purse is empty while other
 * processes have unused slices, these are called back first.
 */
import { DatabaseUnavailable } from '../../database/database.ts';
import { LiveList } from '../../kernel/live-list.ts';
import { RepeatingTask } from '../../kernel/repeating-task.ts';
import type { Running } from '../../kernel/running.ts';
import { previousMonth } from '../../kernel/time.ts';
import { addUnits, multiplyUnits, type Units, ZERO } from '../../kernel/units.ts';
import { type Hold, holdFrom, type Need, type OpenHold } from './hold.ts';
import { newMonth, Purse, type PurseAnswer, type PurseKind, type PurseName, purseId } from './purse.ts';
import { PurseAsks, type PurseAsksOptions } from './purse-asks.ts';
import { PurseRecalls, type Recall } from './purse-recalls.ts';
import { type PurseRefusal, purseRefusal } from './purse-refusal.ts';

/** It is asked for again when less than this part of it is left. */
const LOW = { count: 1, per: 4 };
/** An empty purse is asked again after this long, unless something is given back. */
export const EMPTY_MS = 1_000;
const TEND_MS = 1_000;
/** A call that is expected to cost nothing needs something to be left, too. */
const LEAST = 1n as Units;
/** A slice that nobody uses is given back and forgotten. */
const IDLE_MS = 600_000;
/** If there are many, because each of many values has its own. */
const CROWDED = { purses: 20_000, idleMs: 5_000 };

/** A purse that a call needs. `limit`: what the caller's limit is; null for the units of a space. */
export interface NeededPurse {
  readonly name: PurseName;
  readonly limit: Units | null;
  /** If it is not that of the request. */
  readonly amount?: Units;
}

export interface HoldRequest {
  readonly purses: readonly NeededPurse[];
  readonly amount: Units;
  /** The whole amount must be there. Otherwise a call is admitted while anything is. */
  readonly hard: boolean;
  /** Ask the database before it is refused, whatever it answered a moment ago. */
  readonly asks?: boolean;
  /** Called with what it cost. */
  readonly settled?: (cost: Units) => void;
}

export interface PurseBookOptions extends PurseAsksOptions {
  /** While the database does not answer, a process may use what was left when it last did. */
  readonly isOutage?: () => boolean;
  /** Whether nobody can have taken this process for dead. */
  readonly isLeased?: () => boolean;
  readonly onTrouble?: (error: unknown) => void;
}

export class PurseBook implements Running {
  readonly #options: PurseBookOptions;
  readonly #purses = new Map<string, Purse>();
  readonly #tending: RepeatingTask;
  readonly #asks: PurseAsks;
  /** What running calls hold. */
  readonly holds = new LiveList<OpenHold>();
  readonly recalls: PurseRecalls;

  constructor(options: PurseBookOptions) {
    this.#options = options;
    const { clock, store, onTrouble } = options;
    this.#asks = new PurseAsks(options);
    this.recalls = new PurseRecalls({ clock, send: (id) => store.recall(id) });
    this.#tending = new RepeatingTask({
      clock,
      everyMs: TEND_MS,
      work: () => this.runOnce(),
      ...(onTrouble && { onTrouble }),
    });
  }

  get purses(): Iterable<Purse> {
    return this.#purses.values();
  }

  /** How many slices it asked for so far. */
  get asked(): number {
    return this.#asks.asked;
  }

  start(): void {
    this.#tending.start();
  }

  /** Gives back everything that running calls do not hold. */
  async stop(): Promise<void> {
    await this.#tending.stop();
    const unused = [...this.#purses.values()].filter(({ free }) => free > ZERO);
    await this.#giveBack(unused);
  }

  /** Throws nothing: the result is the hold, why there is none, or a promise of one of them. */
  hold(request: HoldRequest): Hold | PurseRefusal | Promise<Hold | PurseRefusal> {
    const { hard } = request;
    const nowMs = this.#options.clock.elapsedMs();
    const needs: Need[] = [];
    const lacking: Need[] = [];
    for (const { name, limit, amount = request.amount } of request.purses) {
      const purse = this.#purse(name, nowMs);
      const need = { purse, amount };
      needs.push(need);
      if (!this.#isCurrent(purse, limit)) {
        // What is free is given back first: a limit may be lower than it was.
        if (purse.free > ZERO) this.#asks.giveBackFirst(purse);
        lacking.push(need);
      } else if (!this.#suffices(need, hard)) {
        if (request.asks !== true && this.#isKnownShort(need, hard)) return purseRefusal(purse, amount, hard);
        lacking.push(need);
      }
    }
    if (lacking.length === 0) return this.#holdFrom(needs, request);
    return this.#holdAfterAsking(needs, lacking, request);
  }

  /** Asks the database about purses again before they are used: limits or units have changed. */
  forgetAnswers(kind: PurseKind | null = null): void {
    for (const purse of this.#purses.values())
      if (kind === null || purse.name.kind === kind) purse.answeredMs = Number.NEGATIVE_INFINITY;
  }

  /** A charge of this process that nothing was held for. */
  charge(name: PurseName, cost: Units): void {
    this.#purses.get(purseId(name))?.charge(cost);
  }

  /** `store` reserves what is held in the database. */
  reserve<T>(hold: Hold, store: () => Promise<T>): Promise<T> {
    const purses = [...hold.parts.keys()].flatMap((id) => this.#purses.get(id) ?? []);
    return this.#asks.alone(purses, async () => {
      try {
        const stored = await store();
        hold.move();
        return stored;
      } catch (error) {
        // It may be stored all the same; then the slices are smaller than they are known to be.
        for (const purse of purses) purse.answeredMs = Number.NEGATIVE_INFINITY;
        throw error;
      }
    });
  }

  /** Another process needs what this one does not use. */
  async recalled(id: string): Promise<void> {
    const purse = this.#purses.get(id);
    if (purse === undefined || purse.free <= ZERO) return;
    this.recalls.answered++;
    await this.#giveBack([purse]);
  }

  /** All slices are lost: the process has registered again. */
  loseAll(): void {
    for (const purse of this.#purses.values()) purse.lose();
  }

  /** Asks ahead of need, gives back what is not used, and forgets what is long unused. */
  async runOnce(): Promise<void> {
    const nowMs = this.#options.clock.elapsedMs();
    const all = [...this.#purses.values()];
    const idleMs = all.length > CROWDED.purses ? CROWDED.idleMs : IDLE_MS;
    const idle = all.filter((purse) => isIdle(purse, nowMs, idleMs));
    const low = all.filter((purse) => nowMs - purse.usedMs <= TEND_MS && this.#isLow(purse));
    this.#asks.retry();
    await Promise.all([
      ...idle.map((purse) => this.#asks.giveBack(purse, { forgets: true })),
      ...low.map((purse) => this.#asks.ask({ purse, need: ZERO, hard: false })),
    ]);
    for (const purse of idle) if (isIdle(purse, nowMs, idleMs)) this.#purses.delete(purse.id);
  }

  #purse(name: PurseName, nowMs: number): Purse {
    const id = purseId(name);
    let purse = this.#purses.get(id);
    if (purse === undefined) {
      purse = new Purse(name, nowMs);
      this.#purses.set(id, purse);
    }
    purse.usedMs = nowMs;
    return purse;
  }

  async #giveBack(purses: readonly Purse[]): Promise<void> {
    try {
      await Promise.all(purses.map((purse) => this.#asks.giveBack(purse)));
    } catch (error) {
      this.#options.onTrouble?.(error);
    }
  }

  #holdFrom(needs: readonly Need[], { settled }: HoldRequest): Hold {
    const nowMs = this.#options.clock.elapsedMs();
    const charge = (name: PurseName, cost: Units): void => this.charge(name, cost);
    return holdFrom(needs, { nowMs, open: this.holds, charge, settled });
  }

  #suffices({ purse, amount }: Need, hard: boolean): boolean {
    // Also for a call that costs nothing: a purse that is used up admits nothing.
    if (purse.free <= ZERO || (hard && this.#options.isLeased?.() === false)) return false;
    return purse.free >= amount || (!hard && this.#isLast(purse));
  }

  /** Whether the answer still holds: the limit may have changed since, and units may have expired. */
  #isCurrent({ answer, answeredMs }: Purse, limit: Units | null): boolean {
    if (answer === null || answeredMs === Number.NEGATIVE_INFINITY) return false;
    if (limit !== null && answer.limit !== limit) return false;
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
  #isKnownShort({ purse, amount }: Need, hard: boolean): boolean {
    const { answer, answeredMs } = purse;
    if (!hard) return purse.free <= ZERO && this.#isLast(purse);
    if (answer === null || this.#options.clock.elapsedMs() - answeredMs > EMPTY_MS) return false;
    return addUnits(addUnits(purse.free, atLeastZero(answer.left)), answer.others) < amount;
  }

  async #holdAfterAsking(
    needs: readonly Need[],
    asked: readonly Need[],
    request: HoldRequest,
  ): Promise<Hold | PurseRefusal> {
    const { hard } = request;
    const ask = ({ purse, amount }: Need): Promise<void> =>
      this.#asks.ask({ purse, need: amount > ZERO ? amount : LEAST, hard });
    const recalls = new Map<Purse, Recall | null>();
    for (let lacking = asked; ; ) {
      try {
        await Promise.all(lacking.map(ask));
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) || hard || !this.#options.isOutage?.()) throw error;
        return this.#holdInOutage(needs, request, error);
      }
      lacking = needs.filter((need) => !this.#admits(need, hard));
      const [needed] = lacking;
      if (needed === undefined) return this.#holdFrom(needs, request);
      // Another call of this process was faster.
      if (this.#isMore(needed, hard)) continue;
      const { purse: short, amount } = needed;
      const isHeldElsewhere = (short.answer?.others ?? ZERO) > ZERO;
      if (isHeldElsewhere && !recalls.has(short)) recalls.set(short, await this.recalls.begin(short.id));
      const recall = recalls.get(short) ?? null;
      if (!isHeldElsewhere || recall === null || recall.isOver) return purseRefusal(short, amount, hard);
      await recall.next();
    }
  }

  /** After an answer: anything is enough, unless the limit is hard. */
  #admits({ purse, amount }: Need, hard: boolean): boolean {
    return purse.free > ZERO && (purse.free >= amount || !hard);
  }

  /** Whether the database has what the call lacks. */
  #isMore({ purse: { answer, free }, amount }: Need, hard: boolean): boolean {
    const left = answer?.left ?? ZERO;
    return left > ZERO && (!hard || addUnits(free, left) >= amount);
  }

  /** What is left of a limit in a month that began after the database last answered. */
  #startOfMonth({ name, limit }: NeededPurse): PurseAnswer | null {
    if (name.window === null || limit === null) return null;
    const before = this.#purses.get(purseId({ ...name, window: previousMonth(name.window) }));
    return newMonth(limit, before?.answer ?? null);
  }

  /** Each process may use up what was left when the database last answered. */
  #holdInOutage(needs: readonly Need[], request: HoldRequest, error: unknown): Hold | PurseRefusal {
    for (const [i, { purse, amount }] of needs.entries()) {
      purse.answer ??= this.#startOfMonth(request.purses[i] as NeededPurse);
      if (purse.answer === null) throw error;
      if (addUnits(purse.free, purse.answer.left) <= ZERO) return purseRefusal(purse, amount, false);
    }
    return this.#holdFrom(needs, request);
  }
}

function isIdle({ holds, usedMs }: Purse, nowMs: number, idleMs: number): boolean {
  return holds === 0 && nowMs - usedMs > idleMs;
}

function atLeastZero(amount: Units): Units {
  return amount > ZERO ? amount : ZERO;
}
