/** Work on many lines lets everybody else have their turn, though none of it waits for anything. */
import type { Clock } from '../kernel/time.ts';

/** At a stretch. */
const TURN_MS = 4;

export class Turns {
  readonly #clock: Clock;
  #beganMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.elapsedMs();
  }

  get over(): boolean {
    return this.#clock.elapsedMs() - this.#beganMs >= TURN_MS;
  }

  /** Resolves when the others had theirs. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#beganMs = this.#clock.elapsedMs();
  }
}
