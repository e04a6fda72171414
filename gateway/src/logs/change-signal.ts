/** Wakes a loop when something may have changed, or after a timeout. */
import type { Clock } from '../kernel/time.ts';

export class ChangeSignal {
  readonly #clock: Clock;
  #notified = false;
  #wakeUp: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A notification that arrives before the wait ends the next wait at once. */
  notify(): void {
    this.#notified = true;
    this.#wakeUp?.();
  }

  /** Until a notification, the timeout or the abort, whichever is first. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#notified && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          cancel();
          signal.removeEventListener('abort', done);
          resolve();
        };
        const cancel = this.#clock.after(timeoutMs, done);
        this.#wakeUp = done;
        signal.addEventListener('abort', done);
      });
      this.#wakeUp = null;
    }
    this.#notified = false;
  }
}
