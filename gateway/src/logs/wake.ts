/** Waits until something may have changed: told so, or a while has passed, or nobody wants to know. */
import type { Clock } from '../kernel/time.ts';

export class Wake {
  readonly #clock: Clock;
  #rung = false;
  #ring: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What rings before anybody waits is not lost. */
  ring(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** True when it was rung, false when the time is over or the signal says stop. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          cancel();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const cancel = this.#clock.after(timeoutMs, done);
        this.#ring = done;
        signal.addEventListener('abort', done);
      });
      this.#ring = null;
    }
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }
}
