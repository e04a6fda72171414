/**
 * Work that is done again and again, one round at a time: a round that takes longer than the time between two
 * is not joined by another. A round that fails is made up for by the next.
 */
import type { Clock } from './time.ts';

export interface RoundsOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  readonly onTrouble?: (error: unknown) => void;
}

export class Rounds {
  readonly #options: RoundsOptions;
  #stop: (() => void) | null = null;
  #round: Promise<void> | null = null;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, everyMs } = this.#options;
    this.#stop ??= clock.every(everyMs, () => void this.go());
  }

  /** A round now, or the one that is under way. Never throws. */
  go(): Promise<void> {
    const { work, onTrouble } = this.#options;
    this.#round ??= work()
      .catch((error: unknown) => onTrouble?.(error))
      .finally(() => {
        this.#round = null;
      });
    return this.#round;
  }

  /** No round begins any more; resolves when the last one is over. */
  async stop(): Promise<void> {
    this.#stop?.();
    await this.#round;
  }
}
