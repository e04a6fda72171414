/** Looks at the locks of a database while it is measured. */
import type pg from 'pg';

const LOOK_MS = 20;

/** How many commits wait for the lock of another one, on average. */
export class LockWatch {
  readonly #observer: pg.Client;
  readonly #seen: number[] = [];
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #busy = false;

  constructor(observer: pg.Client) {
    this.#observer = observer;
    this.#timer = setInterval(() => {
      if (!this.#busy) this.#looking = this.#look();
    }, LOOK_MS);
  }

  async stop(): Promise<number> {
    clearInterval(this.#timer);
    await this.#looking;
    return this.#seen.reduce((sum, count) => sum + count, 0) / Math.max(1, this.#seen.length);
  }

  async #look(): Promise<void> {
    this.#busy = true;
    const { rows } = await this.#observer.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock'
        and wait_event in ('transactionid', 'tuple', 'advisory', 'relation')`,
    );
    this.#seen.push(rows[0]?.waiting ?? 0);
    this.#busy = false;
  }
}
