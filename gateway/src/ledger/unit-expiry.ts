/** Sees to it that promo units leave when their time is over. Any process may; the database lets one. */
import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/time.ts';
import { expireUnits } from './expiry.store.ts';

/** A charge never takes expired units, so nothing hangs on the exact moment. */
const LOOK_MS = 10_000;

export class UnitExpiry {
  readonly #db: Database;
  readonly #clock: Clock;
  #looking: Promise<void> | null = null;
  #stopLooking: (() => void) | null = null;

  constructor(options: { db: Database; clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  start(): void {
    const look = (): void => void this.runOnce().catch(() => undefined);
    look();
    this.#stopLooking = this.#clock.every(LOOK_MS, look);
  }

  async stop(): Promise<void> {
    this.#stopLooking?.();
    await this.#looking?.catch(() => undefined);
  }

  async runOnce(): Promise<void> {
    this.#looking ??= expireUnits(this.#db, this.#clock.now())
      .then(() => undefined)
      .finally(() => {
        this.#looking = null;
      });
    await this.#looking;
  }
}
