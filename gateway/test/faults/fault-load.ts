/** Callers that call without pause while something breaks, and notes of when each call began, how it ended and when. */
import type { Agent } from 'node:http';
import type { SeenCall } from '../../simulator/journal.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { systemClock as clock, pause } from '../../src/kernel/time.ts';
import { type CallNote, makeCall } from '../chaos/client.ts';

export interface FaultTarget {
  readonly url: string;
  readonly agent: Agent;
  readonly key: string;
  readonly simulator: Simulator;
}

export interface TimedNote extends CallNote {
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Any other request, such as an upload: what it was answered. */
export type OtherRequest = () => Promise<string>;

export interface OtherNote {
  readonly answer: string;
  readonly beganMs: number;
  readonly endedMs: number;
}

export const CALLERS = 4;
/** Between two calls of a caller. Longer after a failure, as a client would wait. */
const PAUSE_MS = 10;
const PAUSE_AFTER_FAILURE_MS = 50;
/** Calls of others arrive at this rate, whatever became of the earlier ones, so that calls begin during a fault too. */
const ARRIVAL_MS = 250;
const COPY_MS = 500;

export class FaultLoad {
  readonly notes: TimedNote[] = [];
  readonly others: OtherNote[] = [];
  /** The simulator keeps only its latest calls, so they are collected on the way. */
  readonly #seen = new Map<string, SeenCall>();
  readonly #target: FaultTarget;
  readonly #other: OtherRequest | null;
  #running: Promise<void>[] = [];
  #stopping = false;
  #calls = 0;
  #stopTimers = (): void => undefined;

  constructor(target: FaultTarget, other: OtherRequest | null = null) {
    this.#target = target;
    this.#other = other;
  }

  start(): void {
    const stopCopying = clock.every(COPY_MS, () => this.#copy());
    const stopArrivals = clock.every(ARRIVAL_MS, () =>
      this.#running.push(this.#call().then(() => undefined)),
    );
    this.#stopTimers = () => {
      stopCopying();
      stopArrivals();
    };
    this.#running = Array.from({ length: CALLERS }, () => this.#callOn());
    if (this.#other !== null) this.#running.push(this.#ask(this.#other));
  }

  /** Lets every caller finish its call. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopTimers();
    await Promise.all(this.#running);
    this.#copy();
  }

  /** Everything that the provider was asked. */
  get seen(): readonly SeenCall[] {
    return [...this.#seen.values()];
  }

  /** Resolves when so many calls that began after the moment were answered in full, and as many other requests well. */
  async answered(count: number, sinceMs: number): Promise<void> {
    const enough = (): boolean =>
      this.notes.filter((note) => note.end === 'full' && note.beganMs >= sinceMs).length >= count &&
      (this.#other === null || this.others.some((one) => one.answer === '200' && one.beganMs >= sinceMs));
    while (!enough()) await pause(clock, PAUSE_MS);
  }

  async #callOn(): Promise<void> {
    while (!this.#stopping) {
      const { end } = await this.#call();
      await pause(clock, end === 'full' ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS);
    }
  }

  async #call(): Promise<CallNote> {
    const beganMs = clock.elapsedMs();
    const number = ++this.#calls;
    const note = await makeCall(this.#target, {
      key: this.#target.key,
      mark: `call-${number}.`,
      kind: number % 3 === 2 ? 'stream-with-usage' : 'whole',
      onMoment: () => undefined,
    });
    this.notes.push({ ...note, beganMs, endedMs: clock.elapsedMs() });
    return note;
  }

  async #ask(other: OtherRequest): Promise<void> {
    while (!this.#stopping) {
      const beganMs = clock.elapsedMs();
      const answer = await other();
      this.others.push({ answer, beganMs, endedMs: clock.elapsedMs() });
      await pause(clock, PAUSE_AFTER_FAILURE_MS);
    }
  }

  #copy(): void {
    for (const call of this.#target.simulator.calls) this.#seen.set(call.id, call);
  }
}
