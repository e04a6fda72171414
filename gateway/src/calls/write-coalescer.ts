/**
 * Coalesces the writes of streams, because a write to a socket costs more than all other work on a frame. The first
 * frame of a stream, and every frame after a pause, is written at once; a frame within COALESCE_MS of the last write
 * waits for the rest of that time. One timer serves all streams of the process.
 */
import type { Clock } from '../kernel/time.ts';

export const COALESCE_MS = 2;
/** A stream that holds back more than this is flushed at once. */
export const COALESCED_CHARACTERS_MAX = 64 * 1024;

export interface CoalescedStream {
  flush(): void;
}

export class WriteCoalescer {
  readonly #clock: Clock;
  #waiting: CoalescedStream[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Flushes the stream within COALESCE_MS. */
  flushSoon(stream: CoalescedStream): void {
    if (this.#waiting.push(stream) === 1) this.#clock.after(COALESCE_MS, () => this.#flush());
  }

  #flush(): void {
    const streams = this.#waiting;
    this.#waiting = [];
    for (const stream of streams) stream.flush();
  }
}
