/**
 * The connection pool of PostgreSQL. When a connection misses a deadline, all others that were silent for as long are
 * closed too: after a network failure that hit all of them, each would otherwise cost a deadline of its own. Those that wait
 * for an answer are closed if the server says that it does not work on one (`silent-sessions.ts`).
 */
import { systemClock } from '../kernel/time.ts';
import { DatabaseUnavailable } from './database.ts';
import { DeadlineQueue, type Queued } from './deadline-queue.ts';
import { CALL_ANSWER_MS } from './deadlines.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { SilentSessions } from './silent-sessions.ts';

const clock = systemClock;
/** When the pool is closed, statements in flight get this long to finish. */
const CLOSE_MS = 2_000;
/** A connection normally opens within this time. */
const OPENING_MS = 1_000;

interface Waiting extends Queued {
  readonly sinceMs: number;
  resolve(connection: PostgresConnection): void;
  reject(error: Error): void;
}

export class PostgresPool {
  readonly #url: string;
  readonly #connectionsMax: number;
  readonly #onLost: (error: Error) => void;
  /** The last one given back is taken first. */
  readonly #idle: PostgresConnection[] = [];
  readonly #busy = new Set<PostgresConnection>();
  /** Busy ones that are probably dead; replacements are opened. */
  readonly #writtenOff = new Set<PostgresConnection>();
  /** Earliest deadline first. Calls have the shortest deadlines, so console pages and reports never delay them. */
  readonly #waiting = new DeadlineQueue<Waiting>();
  /** Since when. */
  readonly #opening = new Set<{ sinceMs: number }>();
  readonly #sessions: SilentSessions;
  /** Since when connections are suspected that have received nothing. */
  #suspectedMs = Number.NEGATIVE_INFINITY;
  #closed = false;
  #onGiven: (() => void) | null = null;

  constructor(options: { url: string; connectionsMax: number; onLost: (error: Error) => void }) {
    this.#url = options.url;
    this.#connectionsMax = options.connectionsMax;
    this.#onLost = options.onLost;
    this.#sessions = new SilentSessions({
      clock,
      open: (waitMs) =>
        PostgresConnection.open(
          options.url,
          { onLost: () => undefined, onAbandoned: (session) => this.noteAbandoned(session) },
          waitMs,
        ),
      waiting: () =>
        [...this.#busy].filter(
          (connection) => connection.waitingMs > 0 && connection.silentSince(this.#suspectedMs),
        ),
    });
  }

  /** The connection must be given back. Rejects if none is free in time. */
  take(waitMs: number): Promise<PostgresConnection> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailable('PostgreSQL: the database is closed'));
    const connection = this.#idle.pop();
    if (connection !== undefined) {
      this.#busy.add(connection);
      return Promise.resolve(connection);
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        stopOpening();
        this.#waiting.remove(waiting);
      };
      const sinceMs = clock.elapsedMs();
      const waiting: Waiting = {
        sinceMs,
        dueMs: sinceMs + waitMs,
        resolve: (taken) => {
          end();
          resolve(taken);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      const cancel = clock.after(waitMs, () => {
        this.suspect(waiting.sinceMs);
        waiting.reject(new DatabaseUnavailable(`PostgreSQL: no connection within ${waitMs} ms`));
      });
      // A connection that is being opened may never become ready.
      const stopOpening = clock.every(OPENING_MS, () => this.#open());
      this.#waiting.add(waiting);
      this.#open();
    });
  }

  give(connection: PostgresConnection): void {
    this.#busy.delete(connection);
    const surplus = this.#writtenOff.delete(connection) && this.#size >= this.#connectionsMax;
    if (connection.lost) this.#open();
    else if (this.#closed || surplus) leave(connection);
    else this.#offer(connection);
    this.#onGiven?.();
  }

  /** Closes every connection that received nothing since then, unless the server works for it. */
  suspect(sinceMs: number): void {
    this.#suspectedMs = Math.max(this.#suspectedMs, sinceMs);
    for (const connection of [...this.#idle]) {
      if (!connection.silentSince(sinceMs)) continue;
      this.#idle.splice(this.#idle.indexOf(connection), 1);
      connection.close(new Error('another connection did not answer'));
    }
    for (const connection of this.#busy) {
      if (connection.silentSince(sinceMs) && connection.waitingMs >= CALL_ANSWER_MS)
        this.#writtenOff.add(connection);
    }
    this.#sessions.look();
    this.#open();
  }

  /** For connections that do not belong to the pool, too. */
  noteLost({ missedSinceMs }: PostgresConnection): void {
    if (missedSinceMs !== null) this.suspect(missedSinceMs);
  }

  /** For connections that do not belong to the pool, too. */
  noteAbandoned(session: string): void {
    if (!this.#closed) this.#sessions.left(session);
  }

  /** Waits a little for statements in flight. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of [...this.#waiting])
      waiting.reject(new DatabaseUnavailable('PostgreSQL: the database is closed'));
    await Promise.all([this.#drained(), this.#sessions.stop()]);
    for (const connection of this.#busy) connection.close(new Error('the database is closed'));
    await Promise.all(this.#idle.splice(0).map((connection) => connection.end()));
  }

  get #size(): number {
    return this.#idle.length + this.#busy.size + this.#opening.size - this.#writtenOff.size;
  }

  /** A connection that opens slowly may never become ready, so it is not counted on. */
  get #coming(): number {
    const nowMs = clock.elapsedMs();
    return [...this.#opening].filter(({ sinceMs }) => nowMs - sinceMs < OPENING_MS).length;
  }

  #offer(connection: PostgresConnection): void {
    const waiting = this.#waiting.first();
    if (waiting === undefined) {
      this.#idle.push(connection);
      return;
    }
    this.#busy.add(connection);
    waiting.resolve(connection);
  }

  /** Opens as many as are requested, within the limit. */
  #open(): void {
    while (this.#coming < this.#waiting.size && this.#size < this.#connectionsMax && !this.#closed) {
      const opening = { sinceMs: clock.elapsedMs() };
      this.#opening.add(opening);
      PostgresConnection.open(this.#url, {
        onLost: (lost, error) => this.#lost(lost, error),
        onAbandoned: (session) => this.noteAbandoned(session),
      }).then(
        (connection) => {
          this.#opening.delete(opening);
          if (this.#closed) leave(connection);
          else this.#offer(connection);
        },
        (error: Error) => {
          this.#opening.delete(opening);
          if (this.#coming === 0) this.#refuse(opening.sinceMs, error);
          this.#open();
        },
      );
    }
  }

  /** Rejects those who waited for a connection that could not be opened; later requests get another attempt. */
  #refuse(sinceMs: number, error: Error): void {
    for (const waiting of [...this.#waiting]) if (waiting.sinceMs <= sinceMs) waiting.reject(error);
  }

  #lost(connection: PostgresConnection, error: Error): void {
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.noteLost(connection);
    this.#onLost(error);
    this.#open();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(CLOSE_MS, resolve);
      const look = (): void => {
        if (this.#busy.size > 0) return;
        cancel();
        resolve();
      };
      this.#onGiven = look;
      look();
    });
  }
}

/** Best effort: the server notices a closed connection by itself. */
function leave(connection: PostgresConnection): void {
  connection.end().catch((error: Error) => connection.close(error));
}
