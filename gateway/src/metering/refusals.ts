/**
 * Stores requests that were answered with an error, so that an `error_ref` can be explained later. It never
 * delays a reply. Under load only a limited number of rows per second is stored; all requests are in the log.
 */
import { retentionDefaults } from '../config/config-defaults.ts';
import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { maskKeys } from '../telemetry/log.ts';
import { deleteRefusals, insertRefusals, type Refusal } from './refusals.store.ts';

/** Default of `retention.errors_days`. */
export const REFUSAL_KEPT_DAYS = retentionDefaults.errorsDays;
/** Rows per second, for requests with a valid key and without one. */
export const KEYED_MAX = 200;
export const KEYLESS_MAX = 20;
const GROUP_ROWS_MAX = 500;
const DELETE_EVERY_MS = HOUR_MS;
const DELETE_ROWS_MAX = 5_000;

export class Refusals implements Running {
  readonly #clock: Clock;
  readonly #writer: GroupWriter<Refusal>;
  readonly #background: BackgroundTasks;
  readonly #sweeper: Sweeper;
  #second = 0;
  #keyed = 0;
  #keyless = 0;

  constructor(options: { db: Database; clock: Clock; background: BackgroundTasks; keptDays?: number }) {
    const { db, clock, keptDays = REFUSAL_KEPT_DAYS } = options;
    this.#clock = clock;
    this.#background = options.background;
    this.#writer = new GroupWriter({
      clock,
      write: (rows) => insertRefusals(db, rows),
      rowsMax: GROUP_ROWS_MAX,
    });
    this.#sweeper = new Sweeper({
      clock,
      everyMs: DELETE_EVERY_MS,
      sweep: async () => {
        const before = clock.now() - keptDays * DAY_MS;
        return (await deleteRefusals(db, before, DELETE_ROWS_MAX)) === DELETE_ROWS_MAX;
      },
    });
  }

  async start(): Promise<void> {
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#writer.flush();
  }

  /** Deletes what is too old. */
  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  note(refusal: Refusal): void {
    // The second in which it is stored, not in which it was sent: many long requests may fail at the same time.
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#keyed = 0;
      this.#keyless = 0;
    }
    const over = refusal.keyId === null ? ++this.#keyless > KEYLESS_MAX : ++this.#keyed > KEYED_MAX;
    if (over) return;
    // The detail repeats an unknown path, which may contain a key that somebody pasted.
    const kept = { ...refusal, detail: maskKeys(refusal.detail) };
    // It is in the log too, so a failed write loses nothing.
    this.#background.run('keep a refusal', () => this.#writer.add(kept));
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
  }
}
