/**
 * Deletes what has expired, at an interval and a limited number of rows at a time. Nothing depends on the moment:
 * readers ignore expired rows, so a failed sweep is only reported and the next one repeats it.
 */
import { RepeatingTask } from './repeating-task.ts';
import type { Running } from './running.ts';
import type { Clock } from './time.ts';

export interface SweeperOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Deletes a limited number of rows. Resolves to true if there may be more. */
  readonly sweep: () => Promise<boolean>;
  readonly onTrouble?: (error: unknown) => void;
  /** Sweeps at the start too, and lets the start wait for it or not. Default: the first sweep is after one interval. */
  readonly atStart?: 'awaited' | 'in background';
}

export class Sweeper implements Running {
  readonly #options: SweeperOptions;
  readonly #task: RepeatingTask;

  constructor(options: SweeperOptions) {
    const { clock, everyMs, onTrouble } = options;
    this.#options = options;
    this.#task = new RepeatingTask({
      clock,
      everyMs,
      work: () => this.runOnce(),
      ...(onTrouble && { onTrouble }),
    });
  }

  async start(): Promise<void> {
    const { atStart } = this.#options;
    // Never rejects: trouble is reported.
    const first = atStart === undefined ? null : this.#task.runOnce();
    if (atStart === 'awaited') await first;
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
  }

  /** Deletes everything that has expired by now. */
  async runOnce(): Promise<void> {
    const { sweep } = this.#options;
    while (await sweep());
  }
}
