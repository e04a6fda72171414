/** PostgreSQL through `pg`. */
import { onAbort } from '../kernel/on-abort.ts';
import { type Clock, pause, systemClock } from '../kernel/time.ts';
import {
  type Database,
  markTransaction,
  refuseInsideTransaction,
  type Transaction,
  type TransactionOptions,
} from './database.ts';
import { ANSWER_MS, CALL_ANSWER_MS } from './deadlines.ts';
import { PostgresConnection, wasUndone } from './postgres-connection.ts';
import { PostgresPool } from './postgres-pool.ts';
import type { Sql } from './sql.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly connectionsMax?: number;
  readonly onLost?: (error: Error) => void;
  readonly onUndone?: (error: Error) => void;
}

const CONNECTIONS_MAX = 10;
/** The first connection may take longer, because the server may be starting. */
const FIRST_CONNECTION_MS = 5_000;
/** A deadlock is retried; the lock order of the schema makes deadlocks rare. */
const TRIES_MAX = 4;
const RELISTEN_DELAY_MS = 500;
/** How often a listening connection is checked. */
const LISTENER_LOOK_MS = 500;

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const database = new PostgresDatabase(options);
  try {
    await database.greet();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly #options: PostgresOptions;
  readonly #pool: PostgresPool;
  readonly #closing = new AbortController();

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#pool = new PostgresPool({
      url: options.url,
      connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
      onLost: (error) => options.onLost?.(error),
    });
  }

  /** Checks that the server answers. */
  async greet(): Promise<void> {
    this.#pool.give(await this.#pool.take(FIRST_CONNECTION_MS));
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    refuseInsideTransaction();
    return await this.#again(async () => {
      const connection = await this.#take(statement.timeoutMs);
      try {
        return await connection.query<Row>(statement);
      } finally {
        this.#pool.give(connection);
      }
    });
  }

  async transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { timeoutMs = ANSWER_MS }: TransactionOptions = {},
  ): Promise<T> {
    refuseInsideTransaction();
    const shortMs = Math.min(timeoutMs, ANSWER_MS);
    return await this.#again(async () => {
      const connection = await this.#take(timeoutMs);
      try {
        await connection.limit(timeoutMs);
        await connection.script('begin', shortMs);
        const tx: Transaction = {
          query: (statement) => connection.query(statement, timeoutMs),
          script: (text) => connection.script(text, timeoutMs),
        };
        const result = await markTransaction(() => work(tx));
        await connection.script('commit', timeoutMs);
        return result;
      } catch (error) {
        // A lost connection has lost the transaction; one that cannot roll back must not be used again.
        if (!connection.lost)
          await connection.script('rollback', shortMs).catch((cause: Error) => connection.close(cause));
        throw error;
      } finally {
        this.#pool.give(connection);
      }
    });
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closing.signal]);
    const first = await this.#listener(channel, onNotify);
    const following = this.#follow(first, { channel, onNotify, signal });
    return async () => {
      stop.abort();
      await following;
    };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#pool.close();
  }

  #take(answerMs = ANSWER_MS): Promise<PostgresConnection> {
    return this.#pool.take(Math.min(answerMs, ANSWER_MS));
  }

  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        if (!wasUndone(error)) throw error;
        this.#options.onUndone?.(error as Error);
        if (tried >= TRIES_MAX) throw error;
      }
    }
  }

  /** Listens until the signal. Notifications sent while disconnected are lost, so the listener must also poll. */
  async #follow(first: Listener, to: Following): Promise<void> {
    const { clock } = this.#options;
    let listener: Listener | null = first;
    while (!to.signal.aborted) {
      if (listener === null) {
        await pause(clock, RELISTEN_DELAY_MS, to.signal);
        if (to.signal.aborted) break;
      } else {
        await listener.lost(to.signal);
        if (to.signal.aborted) break;
      }
      listener = await this.#listener(to.channel, to.onNotify).catch(() => null);
      if (listener !== null) to.onNotify('');
    }
    await listener?.end();
  }

  async #listener(channel: string, onNotify: (payload: string) => void): Promise<Listener> {
    const listener = new Listener();
    await listener.open(this.#options.url, {
      channel,
      onNotify,
      onLost: (connection, error) => {
        this.#pool.noteLost(connection);
        this.#options.onLost?.(error);
      },
      onAbandoned: (session) => this.#pool.noteAbandoned(session),
    });
    return listener;
  }
}

interface Following {
  readonly channel: string;
  readonly onNotify: (payload: string) => void;
  readonly signal: AbortSignal;
}

/** A connection that listens to one channel and is checked regularly. */
class Listener {
  #connection: PostgresConnection | null = null;
  readonly #gone = Promise.withResolvers<void>();
  #stopLooking: (() => void) | null = null;

  async open(
    url: string,
    on: {
      channel: string;
      onNotify: (payload: string) => void;
      onLost: (connection: PostgresConnection, error: Error) => void;
      onAbandoned: (session: string) => void;
    },
  ): Promise<void> {
    const connection = await PostgresConnection.open(url, {
      onNotify: (channel, payload) => channel === on.channel && on.onNotify(payload),
      onLost: (connection, error) => {
        this.#stopLooking?.();
        this.#gone.resolve();
        on.onLost(connection, error);
      },
      onAbandoned: on.onAbandoned,
    });
    this.#connection = connection;
    const listen = `listen "${on.channel.replaceAll('"', '""')}"`;
    try {
      await connection.script(listen, CALL_ANSWER_MS);
    } catch (error) {
      connection.close(error as Error);
      throw error;
    }
    // LISTEN again is harmless; a connection that does not answer in time closes itself.
    this.#stopLooking = systemClock.every(LISTENER_LOOK_MS, () => {
      if (connection.waitingMs === 0) connection.script(listen, CALL_ANSWER_MS).catch(() => undefined);
    });
  }

  /** Resolves when the connection is lost, or at the signal. */
  async lost(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<void>();
    const stopListening = onAbort([signal], aborted.resolve);
    await Promise.race([this.#gone.promise, aborted.promise]);
    stopListening();
  }

  async end(): Promise<void> {
    this.#stopLooking?.();
    await this.#connection?.end();
  }
}
