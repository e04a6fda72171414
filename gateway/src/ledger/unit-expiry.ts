/** Sees to it that promo units leave when their time is over. Any process may; the database lets one. */
import type { Database } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { Rounds } from '../kernel/rounds.ts';
import type { Clock } from '../kernel/time.ts';
import { expireUnits } from './expiry.store.ts';

/** A charge never takes expired units, so nothing hangs on the exact moment. */
const LOOK_MS = 10_000;

export class UnitExpiry {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #background: BackgroundTasks;
  readonly #looks: Rounds;

  constructor(options: { db: Database; clock: Clock; background: BackgroundTasks }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#background = options.background;
    this.#looks = new Rounds({ clock: options.clock, everyMs: LOOK_MS, work: () => this.runOnce() });
  }

  start(): void {
    this.#background.run('expire units', () => this.#looks.go());
    this.#looks.start();
  }

  async stop(): Promise<void> {
    await this.#looks.stop();
  }

  async runOnce(): Promise<void> {
    await expireUnits(this.#db, this.#clock.now());
  }
}
