/** Sends keep-alives on silent streams, because proxies and clients close idle connections. One timer for all streams. */
import { type Listed, LiveList } from '../kernel/live-list.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';

export const SILENCE_MS = 15_000;
const CHECK_MS = 1_000;

export interface KeepAliveStream extends Listed {
  /** When something was last sent, on the monotonic scale of the clock. */
  lastSentMs: number;
  sendKeepAlive(): void;
}

export class KeepAliveTimer implements Running {
  readonly #clock: Clock;
  readonly #streams = new LiveList<KeepAliveStream>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(): void {
    this.#cancel ??= this.#clock.every(CHECK_MS, () => this.runOnce());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  runOnce(): void {
    const now = this.#clock.elapsedMs();
    this.#streams.forEach((stream) => {
      if (now - stream.lastSentMs >= SILENCE_MS) stream.sendKeepAlive();
    });
  }

  add(stream: KeepAliveStream): void {
    this.#streams.add(stream);
  }

  remove(stream: KeepAliveStream): void {
    this.#streams.remove(stream);
  }
}
