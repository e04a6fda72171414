/**
 * Repeats a task at an interval, one run at a time: a run that takes longer than the interval delays the next one.
 * A run that fails is reported, and the next one makes up for it.
 */
import type { Running } from './running.ts';
import type { Clock } from './time.ts';

export interface RepeatingTaskOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  readonly onTrouble?: (error: unknown) => void;
}

export class RepeatingTask implements Running {
  readonly #options: RepeatingTaskOptions;
  #cancel: (() => void) | null = null;
  #run: Promise<void> | null = null;

  constructor(options: RepeatingTaskOptions) {
    this.#options = options;
  }

  /** The first run is after one interval. */
  start(): void {
    const { clock, everyMs } = this.#options;
    this.#cancel ??= clock.every(everyMs, () => void this.runOnce());
  }

  /** Runs now, or joins the run that is under way. Never throws. */
  runOnce(): Promise<void> {
    const { work, onTrouble } = this.#options;
    this.#run ??= work()
      .catch((error: unknown) => onTrouble?.(error))
      .finally(() => {
        this.#run = null;
      });
    return this.#run;
  }

  /** Starts no more runs, and waits for the one under way. */
  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#run;
  }
}
