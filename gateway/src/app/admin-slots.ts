/**
 * Limits how many operations of administration run at once in this process, so that people who administer always
 * leave database connections to calls. Those who wait take turns.
 */
import { FairLanes } from '../kernel/fair-lanes.ts';
import { Problem } from '../kernel/problem.ts';

const RETRY_AFTER_MS = 2_000;

export interface AdminSlotsOptions {
  readonly runningMax: number;
  /** Of one person or token. */
  readonly waitingMax: number;
}

export class AdminSlots {
  readonly #options: AdminSlotsOptions;
  readonly #queue = new FairLanes<() => void>();
  readonly #waiting = new Map<string, number>();
  #running = 0;

  constructor(options: AdminSlotsOptions) {
    this.#options = options;
  }

  async run<T>(actor: string, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#options.runningMax) this.#running++;
    else await this.#turn(actor);
    try {
      return await work();
    } finally {
      const next = this.#queue.take();
      // The slot passes on directly, so that nobody who arrives now gets it first.
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #turn(actor: string): Promise<void> {
    const before = this.#waiting.get(actor) ?? 0;
    if (before >= this.#options.waitingMax) throw tooMany(before);
    this.#waiting.set(actor, before + 1);
    await new Promise<void>((resolve) => this.#queue.add(actor, resolve));
    const left = (this.#waiting.get(actor) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(actor);
    else this.#waiting.set(actor, left);
  }
}

function tooMany(waiting: number): Problem {
  return new Problem('rate_limit_exceeded', {
    detail: `You have ${waiting} requests waiting, which is the limit. Send fewer at once.`,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
