/**
 * The repeating task that pays for calls and expires promo units (`settle.store.ts`). Each process settles the spaces that
 * it charged, and those that nobody else will settle. A balance is exact without it: it only keeps what is added up short.
 */
import type { Queryable } from '../database/database.ts';
import { RepeatingTask } from '../kernel/repeating-task.ts';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';
import { expireUnits, findLeftDues, settleSpaces } from './settle.store.ts';

export const SETTLE_MS = 10_000;

export class Settler implements Running {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #task: RepeatingTask;
  #charged = new Set<string>();

  constructor({ db, clock }: { db: Queryable; clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
    // A failed run is repeated by the next one.
    this.#task = new RepeatingTask({ clock, everyMs: SETTLE_MS, work: () => this.runOnce() });
  }

  /** Remembers spaces whose calls this process charged. */
  charged(spaces: readonly string[]): void {
    for (const id of spaces) this.#charged.add(id);
  }

  async start(): Promise<void> {
    this.#task.start();
  }

  /** What is not paid then is paid by another process, or the next. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#task.runOnce();
  }

  async runOnce(): Promise<void> {
    const now = this.#clock.now();
    const charged = [...this.#charged];
    this.#charged = new Set();
    try {
      this.charged(await settleSpaces(this.#db, charged, now));
    } catch (error) {
      this.charged(charged);
      throw error;
    }
    await settleSpaces(this.#db, await findLeftDues(this.#db), now);
    await expireUnits(this.#db, now);
  }
}
