/**
 * Knows whether PostgreSQL answers, for a process that continues without it. The first statement without an answer is a
 * suspicion: from then on memory and the local disk are used. If a probe fails too, it is an outage: statements fail at
 * once, so that nobody waits for a deadline again. Probes continue until one is answered.
 */
import { type Clock, pause } from '../kernel/time.ts';
import { type Database, DatabaseUnavailable, type Queryable } from './database.ts';
import { CALL_ANSWER_MS } from './deadlines.ts';
import type { Sql } from './sql.ts';

export const PROBE_DELAY_MS = 100;
export const PROBE_DELAY_MS_MAX = 1_000;
const PROBE: Sql = { text: 'select 1', values: [], timeoutMs: CALL_ANSWER_MS };
/** Resolves if the database answers. */
export async function probeDatabase(db: Queryable): Promise<void> {
  await db.query(PROBE);
}

/** Errors of the server: it answers, whatever is wrong. Not those with which it rejects or ends connections. */
const SERVER_ERROR = /^\d[0-9A-Z]{4}$/;
const CONNECTION_ERROR = /^(08|57P0|53300)/;

export interface DatabaseOutageOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly onBegin?: (error: unknown) => void;
  readonly onEnd?: (durationMs: number) => void;
}

export class DatabaseOutage {
  readonly #options: DatabaseOutageOptions;
  readonly #stopping = new AbortController();
  #isSuspected = false;
  #isConfirmed = false;
  #probing: Promise<void> | null = null;
  readonly #listeners = new Set<(error: DatabaseUnavailable) => void>();

  constructor(options: DatabaseOutageOptions) {
    this.#options = options;
  }

  /** A statement got no answer, and none has been answered since. */
  get isSuspected(): boolean {
    return this.#isSuspected;
  }

  /** Statements are rejected without being sent. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** Calls `listener` when an outage is confirmed, until the returned function is called. */
  onConfirmed(listener: (error: DatabaseUnavailable) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The database for everybody else: it notices outages, and fails at once during one. */
  guarded(): Database {
    return this.#guarded((error) => this.#notice(error));
  }

  /** The same for statements whose lateness says nothing about the database, because they wait for locks. */
  unnoticed(): Database {
    return this.#guarded(() => undefined);
  }

  #guarded(onError: (error: unknown) => void): Database {
    const { db } = this.#options;
    const guard = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.#isConfirmed) throw noAnswer();
      try {
        return await work();
      } catch (error) {
        onError(error);
        throw error;
      }
    };
    return {
      engine: db.engine,
      query: (statement) => guard(() => db.query(statement)),
      transaction: (work, options) => guard(() => db.transaction(work, options)),
      listen: (channel, onNotify) => db.listen(channel, onNotify),
      close: async () => {
        this.#stopping.abort();
        // Ends a probe that waits.
        await db.close();
        await this.#probing;
      },
    };
  }

  #notice(error: unknown): void {
    if (this.#isSuspected || this.#stopping.signal.aborted || !gotNoAnswer(error)) return;
    this.#isSuspected = true;
    this.#probing = this.#probe(error);
  }

  async #probe(first: unknown): Promise<void> {
    const { clock, onBegin, onEnd } = this.#options;
    const { signal } = this.#stopping;
    const sinceMs = clock.elapsedMs();
    for (let delayMs = PROBE_DELAY_MS; !(await this.#isAnswered()); delayMs *= 2) {
      if (!this.#isConfirmed) {
        this.#isConfirmed = true;
        onBegin?.(first);
        for (const listener of [...this.#listeners]) listener(noAnswer());
      }
      await pause(clock, Math.min(delayMs, PROBE_DELAY_MS_MAX), signal);
      if (signal.aborted) return;
    }
    if (this.#isConfirmed) onEnd?.(clock.elapsedMs() - sinceMs);
    this.#isConfirmed = false;
    this.#isSuspected = false;
  }

  async #isAnswered(): Promise<boolean> {
    try {
      await this.#options.db.query(PROBE);
      return true;
    } catch (error) {
      return !gotNoAnswer(error);
    }
  }
}

function noAnswer(): DatabaseUnavailable {
  return new DatabaseUnavailable('PostgreSQL: does not answer');
}

function gotNoAnswer(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code !== 'string' || !SERVER_ERROR.test(code) || CONNECTION_ERROR.test(code);
}
