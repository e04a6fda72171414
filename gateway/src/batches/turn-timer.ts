/** Splits long work on lines into short event-loop turns, so that it does not delay other callers. */
import { nextTurn } from '../kernel/next-turn.ts';
import type { Clock } from '../kernel/time.ts';

/** The most time that the work takes per turn. */
const TURN_MS = 4;

export class TurnTimer {
  readonly #clock: Clock;
  #startedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  get isOver(): boolean {
    return this.#clock.elapsedMs() - this.#startedMs >= TURN_MS;
  }

  /** Resolves in the next event-loop turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#startedMs = this.#clock.elapsedMs();
  }
}
