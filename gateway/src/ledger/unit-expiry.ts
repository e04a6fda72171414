/** The repeating task that expires promo units. Every process runs it; the account locks make it happen once. */
import type { Database } from '../database/database.ts';
import type { BackgroundTasks } from '../kernel/background.ts';
import { Rounds } from '../kernel/rounds.ts';
import type { Clock } from '../kernel/time.ts';
import { expireUnits } from './expiry.store.ts';

/** A charge never takes expired units, so the exact moment of this task does not matter. */
const EXPIRE_EVERY_MS = 10_000;

export class UnitExpiry {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #background: BackgroundTasks;
  readonly #task: Rounds;

  constructor(options: { db: Database; clock: Clock; background: BackgroundTasks }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#background = options.background;
    this.#task = new Rounds({ clock: options.clock, everyMs: EXPIRE_EVERY_MS, work: () => this.runOnce() });
  }

  start(): void {
    this.#background.run('expire units', () => this.#task.go());
    this.#task.start();
  }

  async stop(): Promise<void> {
    await this.#task.stop();
  }

  async runOnce(): Promise<void> {
    await expireUnits(this.#db, this.#clock.now());
  }
}
