/**
 * Keeps silent streams open: proxies cut connections on which nothing moves. One timer looks after
 * all streams of the process.
 */
import type { Clock } from '../kernel/time.ts';

export const SILENCE_MS = 15_000;
const LOOK_MS = 1_000;

export interface Pulsed {
  /** When something was last sent, on the clock's own scale. */
  lastSentMs: number;
  sendKeepAlive(): void;
}

export class StreamPulse {
  readonly #clock: Clock;
  readonly #streams = new Set<Pulsed>();
  #stop: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#stop ??= this.#clock.every(LOOK_MS, () => this.runOnce());
  }

  stop(): void {
    this.#stop?.();
    this.#stop = null;
  }

  runOnce(): void {
    const now = this.#clock.elapsedMs();
    for (const stream of this.#streams) {
      if (now - stream.lastSentMs >= SILENCE_MS) stream.sendKeepAlive();
    }
  }

  add(stream: Pulsed): void {
    this.#streams.add(stream);
  }

  remove(stream: Pulsed): void {
    this.#streams.delete(stream);
  }
}
