/**
 * Lets frames that come in a burst leave together. The first frame of a stream, and any that comes
 * after a pause, goes out at once; one that follows within GATHER_MS of the last write waits for the
 * rest of that time. A write to a socket costs more than everything else that is done to a frame.
 * One timer serves all streams of the process.
 */
import type { Clock } from '../kernel/time.ts';

export const GATHER_MS = 2;
/** So much is never held back, however quickly it came. */
export const GATHER_CHARACTERS_MAX = 64 * 1024;

export interface Gathering {
  flush(): void;
}

export class StreamGather {
  readonly #clock: Clock;
  #waiting: Gathering[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Flushes the stream within GATHER_MS. */
  later(stream: Gathering): void {
    if (this.#waiting.push(stream) === 1) this.#clock.after(GATHER_MS, () => this.#flush());
  }

  #flush(): void {
    const streams = this.#waiting;
    this.#waiting = [];
    for (const stream of streams) stream.flush();
  }
}
