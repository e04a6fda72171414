/** The real clock, which a test can move on: what waits for less than that happens at once. */
import { type Clock, systemClock } from '../../src/kernel/time.ts';

interface Timer {
  readonly delayMs: number;
  /** By `elapsedMs`. */
  dueMs: number;
  ring(): void;
}

export class PassingClock implements Clock {
  readonly #timers = new Set<Timer>();
  #passedMs = 0;

  readonly now = (): number => systemClock.now() + this.#passedMs;
  readonly elapsedMs = (): number => systemClock.elapsedMs() + this.#passedMs;

  readonly after = (delayMs: number, work: () => void): (() => void) => {
    const end = (): void => {
      cancel();
      this.#timers.delete(timer);
    };
    const ring = (): void => {
      end();
      work();
    };
    const cancel = systemClock.after(delayMs, ring);
    const timer = this.#add(delayMs, ring);
    return end;
  };

  /** Rings once for a leap, as after a night in which a machine slept. */
  readonly every = (periodMs: number, work: () => void): (() => void) => {
    const timer = this.#add(periodMs, () => {
      timer.dueMs = this.elapsedMs() + periodMs;
      work();
    });
    const cancel = systemClock.every(periodMs, timer.ring);
    return () => {
      cancel();
      this.#timers.delete(timer);
    };
  };

  pass(byMs: number): void {
    this.#passedMs += byMs;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.elapsedMs());
    for (const timer of due) if (this.#timers.has(timer)) timer.ring();
  }

  /** What waits for exactly this long; the same answer twice is the same wait. */
  waiting(delayMs: number): object | null {
    return [...this.#timers].find((timer) => timer.delayMs === delayMs) ?? null;
  }

  #add(delayMs: number, ring: () => void): Timer {
    const timer: Timer = { delayMs, dueMs: this.elapsedMs() + delayMs, ring };
    this.#timers.add(timer);
    return timer;
  }
}
