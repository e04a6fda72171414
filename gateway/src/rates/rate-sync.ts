/**
 * Shares counts between processes through the database, once a second while there are calls with limits. An
 * idle process sends nothing.
 */
import type { Database } from '../database/database.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Clock } from '../kernel/time.ts';
import { deleteOldCounts, syncCounts } from './rate-counts.store.ts';
import type { RateCounts } from './rate-counts.ts';
import { minuteOf } from './rate-window.ts';

export const SYNC_MS = 1_000;

export class RateSync {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #counts: RateCounts;
  readonly #process = randomBase62(16);
  #stopTicking: (() => void) | null = null;
  #syncing: Promise<void> | null = null;
  #awake = false;
  #stopped = false;
  #sweptMinute = 0;

  constructor(options: { db: Database; clock: Clock; counts: RateCounts }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#counts = options.counts;
  }

  /** Called when something was counted or checked. After an idle time the exchange starts immediately. */
  wake(): void {
    this.#awake = true;
    if (this.#stopTicking !== null || this.#stopped) return;
    this.#stopTicking = this.#clock.every(SYNC_MS, () => this.#tick());
    this.#tick();
  }

  /** Waits for the running exchange and shares the rest, so that a process that replaces this one knows the counts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#sleep();
    await this.#syncing?.catch(() => undefined);
    if (this.#awake) await this.runOnce().catch(() => undefined);
    this.#awake = false;
  }

  async runOnce(): Promise<void> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
    });
    await this.#syncing;
  }

  #tick(): void {
    if (!this.#awake) {
      this.#sleep();
      return;
    }
    this.#awake = false;
    // Without the database only the own counts decide; the next exchange shares all of them.
    this.runOnce().catch(() => this.wake());
  }

  #sleep(): void {
    this.#stopTicking?.();
    this.#stopTicking = null;
  }

  async #sync(): Promise<void> {
    const now = this.#clock.now();
    const minute = minuteOf(now);
    const counts = this.#counts.takeUnshared(now);
    const own = { process: this.#process, counts, subjects: this.#counts.subjects(), fromMinute: minute - 1 };
    try {
      for (const count of await syncCounts(this.#db, own)) this.#counts.learn(count, this.#clock.now());
    } catch (error) {
      this.#counts.putBack(counts);
      throw error;
    }
    if (minute === this.#sweptMinute) return;
    this.#sweptMinute = minute;
    await deleteOldCounts(this.#db, minute - 1);
  }
}
