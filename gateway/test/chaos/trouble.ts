/** A database in trouble, and time that hurries through it. */
import { type Database, DatabaseUnavailable, type Queryable } from '../../src/database/database.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { CallRecorder } from '../../src/metering/call-recorder.ts';

/** A database whose statements pass through `query` first. */
export function wrap(db: Database, query: Queryable['query']): Database {
  const { engine } = db;
  const rest = { transaction: db.transaction.bind(db), listen: db.listen.bind(db), close: db.close.bind(db) };
  return { engine, ...rest, query };
}

/** Time that passes only by waiting, and then at once. */
export function hastyClock(): Clock {
  let elapsedMs = 0;
  return {
    ...systemClock,
    elapsedMs: () => elapsedMs,
    after(delayMs, work) {
      const handle = setImmediate(() => {
        elapsedMs += delayMs;
        work();
      });
      return () => clearImmediate(handle);
    },
  };
}

export interface TroubledRecorder {
  readonly recorder: CallRecorder;
  readonly clock: Clock;
  /** Resolves when the database has failed so often. */
  failures(count: number): Promise<void>;
  /** Lets the database come back. */
  heal(): void;
}

/** A recorder whose database is away until it is healed. */
export function troubledRecorder(db: Database): TroubledRecorder {
  const clock = hastyClock();
  const waiting: Array<{ count: number; resolve: () => void }> = [];
  let away = true;
  let failed = 0;
  const gone = wrap(db, async (statement) => {
    if (away) throw new DatabaseUnavailable('away');
    return await db.query(statement);
  });
  const onTrouble = (): void => {
    failed++;
    for (const { count, resolve } of waiting) if (failed >= count) resolve();
  };
  return {
    recorder: new CallRecorder({ db: gone, clock, onTrouble }),
    clock,
    failures: (count) => new Promise((resolve) => waiting.push({ count, resolve })),
    heal() {
      away = false;
    },
  };
}
