/** PostgreSQL through `pg`. */
import pg from 'pg';
import { type Clock, pause } from '../kernel/time.ts';
import {
  type Database,
  DatabaseUnavailable,
  markTransaction,
  refuseInsideTransaction,
  rowParsers,
  type Transaction,
} from './database.ts';
import type { Sql } from './sql.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly connectionsMax?: number;
  readonly onLost?: (error: Error) => void;
}

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 5_000;
const RELISTEN_DELAY_MS = 500;

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const database = new PostgresDatabase(options);
  await database.query({ text: 'select 1', values: [] });
  return database;
}

class PostgresDatabase implements Database {
  readonly engine = 'postgres';
  readonly #options: PostgresOptions;
  readonly #pool: pg.Pool;
  readonly #closing = new AbortController();

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({
      ...connection(options.url),
      max: options.connectionsMax ?? CONNECTIONS_MAX,
      idleTimeoutMillis: 0,
    });
    // An idle connection that breaks is replaced on next use; without a listener it would crash us.
    this.#pool.on('error', (error) => options.onLost?.(error));
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    refuseInsideTransaction();
    return await run<Row>(this.#pool, statement);
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    const client = await this.#pool.connect().catch(rethrow);
    let broken = false;
    // The pool listens to idle connections only: one that breaks while it is ours would crash us.
    const onLost = (error: Error): void => {
      broken = true;
      this.#options.onLost?.(error);
    };
    client.on('error', onLost);
    try {
      await client.query('begin').catch(rethrow);
      const tx: Transaction = {
        query: (statement) => run(client, statement),
        script: async (text) => {
          await client.query(text).catch(rethrow);
        },
      };
      const result = await markTransaction(() => work(tx));
      await client.query('commit').catch(rethrow);
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {
        broken = true;
      });
      throw error;
    } finally {
      client.off('error', onLost);
      client.release(broken);
    }
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closing.signal]);
    let client = await this.#listener(channel, onNotify);
    const following = (async () => {
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          client.once('end', resolve);
          client.once('error', () => resolve());
          if (signal.aborted) resolve();
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        if (signal.aborted) break;
        client = await this.#relisten(channel, onNotify, signal, client);
        // Whatever was said meanwhile is lost, so the listener is told to look for itself.
        onNotify('');
      }
      await client.end().catch(() => undefined);
    })();
    return async () => {
      stop.abort();
      await following;
    };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#pool.end();
  }

  async #listener(channel: string, onNotify: (payload: string) => void): Promise<pg.Client> {
    const client = new pg.Client(connection(this.#options.url));
    client.on('error', (error) => this.#options.onLost?.(error));
    client.on('notification', (message) => {
      if (message.channel === channel) onNotify(message.payload ?? '');
    });
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      rethrow(error);
    }
    return client;
  }

  async #relisten(
    channel: string,
    onNotify: (payload: string) => void,
    signal: AbortSignal,
    lost: pg.Client,
  ): Promise<pg.Client> {
    await lost.end().catch(() => undefined);
    while (!signal.aborted) {
      const client = await this.#listener(channel, onNotify).catch(() => null);
      if (client !== null) return client;
      await pause(this.#options.clock, RELISTEN_DELAY_MS, signal);
    }
    return lost;
  }
}

function connection(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'tollgate',
    types: {
      getTypeParser: ((id: number) =>
        rowParsers[id] ?? pg.types.getTypeParser(id)) as typeof pg.types.getTypeParser,
    },
  };
}

async function run<Row extends object>(client: pg.Pool | pg.PoolClient, statement: Sql): Promise<Row[]> {
  const { text, values, timeoutMs } = statement;
  // A name makes the server keep the plan; the text itself is a name that never clashes.
  const name = text.length <= 63 ? text : undefined;
  const result = await client
    .query<Row>({
      text,
      values: values as unknown[],
      ...(name !== undefined && { name }),
      ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
    })
    .catch(rethrow);
  return result.rows;
}

/** SQLSTATE classes and socket errors after which the same statement may simply be sent again. */
const TRANSIENT_STATE = /^(08|40|53|57P|55P03|25006)/;

function rethrow(error: unknown): never {
  const { code, message } = error as { code?: string; message?: string };
  const lost =
    code === undefined
      ? /terminated|timeout|ended|closed|not queryable/i.test(message ?? '')
      : TRANSIENT_STATE.test(code) || /^E[A-Z]+$/.test(code);
  throw lost ? new DatabaseUnavailable(`PostgreSQL: ${message}`, { cause: error }) : error;
}
