/**
 * Writes down requests that were answered with an error, so that an `error_ref` can be explained
 * later. It never holds up an answer, and a flood of bad requests must not become a flood of rows:
 * above a number a second they are only logged.
 */

import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { BackgroundTasks } from '../kernel/background.ts';
import type { Running } from '../kernel/running.ts';
import { Sweeper } from '../kernel/sweeper.ts';
import type { Clock } from '../kernel/time.ts';
import { maskKeys } from '../telemetry/log.ts';
import { deleteRefusals, insertRefusals, type Refusal } from './refusals.store.ts';

export const REFUSAL_KEPT_DAYS = 30;
/** A second, of those with a key and of those without. */
export const KEYED_MAX = 200;
export const KEYLESS_MAX = 20;
const GROUP_ROWS_MAX = 500;
const DELETE_EVERY_MS = 60 * 60 * 1000;
const DELETE_ROWS_MAX = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export class Refusals implements Running {
  readonly #clock: Clock;
  readonly #writer: GroupWriter<Refusal>;
  readonly #background: BackgroundTasks;
  readonly #sweeper: Sweeper;
  #second = 0;
  #keyed = 0;
  #keyless = 0;

  constructor(options: { db: Database; clock: Clock; background: BackgroundTasks }) {
    const { db, clock } = options;
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
        const before = clock.now() - REFUSAL_KEPT_DAYS * DAY_MS;
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

  /** Deletes what is older than REFUSAL_KEPT_DAYS. */
  async runOnce(): Promise<void> {
    await this.#sweeper.runOnce();
  }

  note(refusal: Refusal): void {
    // By when it is written, not by when it was asked: requests of many seconds may fail in this one.
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#keyed = 0;
      this.#keyless = 0;
    }
    const over = refusal.keyId === null ? ++this.#keyless > KEYLESS_MAX : ++this.#keyed > KEYED_MAX;
    if (over) return;
    // A path that is not there is repeated in the detail, and may hold a key somebody pasted into it.
    const kept = { ...refusal, detail: maskKeys(refusal.detail) };
    // It stands in the log too, so what cannot be written is not lost.
    this.#background.run('keep a refusal', () => this.#writer.add(kept));
  }

  async flush(): Promise<void> {
    await this.#writer.flush();
  }
}
