/**
 * Writes down requests that were answered with an error, so that an `error_ref` can be explained
 * later. It never holds up an answer, and a flood of bad requests must not become a flood of rows:
 * above a number a second they are only logged.
 */

import type { Database } from '../database/database.ts';
import { GroupWriter } from '../database/group-writer.ts';
import type { BackgroundTasks } from '../kernel/background-tasks.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Rounds } from '../kernel/rounds.ts';
import type { Clock } from '../kernel/time.ts';
import { maskKeys } from '../telemetry/log.ts';
import { deleteRefusals, insertRefusals, type Refusal } from './refusals.store.ts';

export const KEPT_DAYS = 30;
/** A second, of those with a key and of those without. */
export const KEYED_MAX = 200;
export const KEYLESS_MAX = 20;
const GROUP_ROWS_MAX = 500;
const DELETE_EVERY_MS = 60 * 60 * 1000;
const DELETE_ROWS_MAX = 5_000;

export class Refusals {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #writer: GroupWriter<Refusal>;
  readonly #background: BackgroundTasks;
  readonly #sweeps: Rounds;
  #second = 0;
  #keyed = 0;
  #keyless = 0;

  constructor(options: { db: Database; clock: Clock; background: BackgroundTasks }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#background = options.background;
    this.#writer = new GroupWriter({
      clock: options.clock,
      write: (rows) => insertRefusals(options.db, rows),
      rowsMax: GROUP_ROWS_MAX,
    });
    this.#sweeps = new Rounds({ clock: options.clock, everyMs: DELETE_EVERY_MS, work: () => this.runOnce() });
  }

  start(): void {
    this.#sweeps.start();
  }

  async stop(): Promise<void> {
    await this.#sweeps.stop();
    await this.#writer.flush();
  }

  /** Forgets what is too old. */
  async runOnce(): Promise<void> {
    const before = this.#clock.now() - KEPT_DAYS * DAY_MS;
    while ((await deleteRefusals(this.#db, before, DELETE_ROWS_MAX)) === DELETE_ROWS_MAX);
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
