/** A clock that stands until it is moved. */
import type { Clock } from '../../src/kernel/time.ts';

interface Waiting {
  readonly at: number;
  readonly work: () => void;
  readonly everyMs: number | null;
}

export class TestClock implements Clock {
  #now = Date.parse('2026-11-15T03:00:00Z');
  readonly #waiting = new Set<Waiting>();
  #onWaiting: (() => void) | null = null;

  now(): number {
    return this.#now;
  }

  elapsedMs(): number {
    return this.#now;
  }

  after(delayMs: number, work: () => void): () => void {
    return this.#add({ at: this.#now + delayMs, work, everyMs: null });
  }

  every(periodMs: number, work: () => void): () => void {
    return this.#add({ at: this.#now + periodMs, work, everyMs: periodMs });
  }

  /** Moves on, and runs what is due on the way. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.#now = Math.max(this.#now, next.at);
      if (next.everyMs !== null) this.#waiting.add({ ...next, at: next.at + next.everyMs });
      next.work();
    }
    this.#now = end;
  }

  /** Runs once, as soon as something waits for this clock. */
  whenWaiting(work: () => void): void {
    if (this.#waiting.size > 0) queueMicrotask(work);
    else this.#onWaiting = work;
  }

  #add(waiting: Waiting): () => void {
    this.#waiting.add(waiting);
    const notify = this.#onWaiting;
    this.#onWaiting = null;
    if (notify !== null) queueMicrotask(notify);
    return () => void this.#waiting.delete(waiting);
  }
}
