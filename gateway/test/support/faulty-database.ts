/** A database whose statements fail when a test says so, between the product and either engine. */
import type { Database, Queryable, Transaction } from '../../src/database/database.ts';
import type { Sql } from '../../src/database/sql.ts';

/** Null lets the statement pass. `begin`, `commit` and scripts are statements too, without values. */
export type Fault = (statement: Pick<Sql, 'text' | 'values'>) => Error | null;

export class FaultyDatabase {
  /** Asked before each statement. */
  before: Fault = () => null;
  /** Asked after each one: its effect is there, its answer is lost. */
  after: Fault = () => null;

  readonly wrap = (db: Database): Database => ({
    engine: db.engine,
    query: (statement) => this.#pass(statement, () => db.query(statement)),
    transaction: async (work) => {
      let commit: Error | null = null;
      const result = await db.transaction(async (tx) => {
        fail(this.before({ text: 'begin', values: [] }));
        const faulty: Transaction = {
          query: (statement) => this.#pass(statement, () => tx.query(statement)),
          script: (text) => this.#pass({ text, values: [] }, () => tx.script(text)),
        };
        const done = await work(faulty);
        fail(this.before({ text: 'commit', values: [] }));
        commit = this.after({ text: 'commit', values: [] });
        return done;
      });
      fail(commit);
      return result;
    },
    listen: (channel, onNotify) => db.listen(channel, onNotify),
    close: () => db.close(),
    ...(db.applyBefore && {
      applyBefore: (pending) => {
        const direct = db.applyBefore?.(pending) as Queryable;
        return { query: (statement) => this.#pass(statement, () => direct.query(statement)) };
      },
    }),
  });

  async #pass<T>(statement: Sql, run: () => Promise<T>): Promise<T> {
    fail(this.before(statement));
    const result = await run();
    fail(this.after(statement));
    return result;
  }
}

function fail(error: Error | null): void {
  if (error !== null) throw error;
}
