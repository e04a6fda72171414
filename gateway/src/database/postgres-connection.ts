/**
 * One connection to PostgreSQL. Every statement has a deadline; missing it closes the connection, because a late answer
 * would be taken for the answer to the next statement.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import { randomBase62 } from '../kernel/ids.ts';
import { systemClock } from '../kernel/time.ts';
import { DatabaseUnavailable, isPassing, rowParsers } from './database.ts';
import { ANSWER_MS, serverLimits } from './deadlines.ts';
import { type Sql, storableValues } from './sql.ts';

/** Deadlines concern the network, so they use the real clock, whichever clock the product uses. */
const clock = systemClock;
const CONNECT_MS = 3_000;
/** What `pg` says if a connection is not ready in time. */
const NOT_READY = 'timeout expired';
/** Compiling a statement costs a report more than it saves, a third of a second for each page. */
const NO_COMPILING = 'set jit = off';
const APPLICATION = 'tollgate';
/** The server keeps 63 characters of the name of a session. */
const NAME_CHARACTERS_MAX = 40;
const SESSION_CHARACTERS = 12;
const END_MS = 500;
/** With TCP keep-alive the system notices, though late, that the other side of an idle connection is gone. */
const KEEP_ALIVE_MS = 10_000;

export interface ConnectionEvents {
  /** The connection broke, or was closed because it did not answer. */
  onLost(connection: PostgresConnection, error: Error): void;
  /** It was closed here, or never became ready, and the server may not know that. */
  onAbandoned(session: string): void;
  onNotify?(channel: string, payload: string): void;
}

export class PostgresConnection {
  readonly #client: pg.Client;
  readonly #events: ConnectionEvents;
  #lost: Error | null = null;
  #ending = false;
  /** The answer time that the server's own limits are set for. */
  #serverAnswerMs = ANSWER_MS;
  #answeredMs = clock.elapsedMs();
  #sentMs: number | null = null;
  /** The name of its session, which no other session has. */
  readonly session: string;

  static async open(
    url: string,
    events: ConnectionEvents,
    connectMs = CONNECT_MS,
  ): Promise<PostgresConnection> {
    const connection = new PostgresConnection(settings(url, connectMs), events);
    try {
      await connection.#client.connect();
      // A pooler may have kept the name from the server.
      const name = `set application_name = ${pg.escapeLiteral(connection.session)}`;
      await connection.script(`${serverLimits(ANSWER_MS)}; ${NO_COMPILING}; ${name}`, connectMs);
      return connection;
    } catch (error) {
      connection.#ending = true;
      connection.#destroy();
      if ((error as Error).message === NOT_READY) events.onAbandoned(connection.session);
      rethrow(error);
    }
  }

  private constructor(config: pg.ClientConfig, events: ConnectionEvents) {
    this.#events = events;
    this.#client = new pg.Client(config);
    this.session = nameSession(this.#client);
    // Without a listener a broken connection would crash the process.
    this.#client.on('error', (error) => this.#lose(error));
    this.#client.on('end', () => this.#lose(new Error('the connection ended')));
    this.#client.on('notification', ({ channel, payload }) => events.onNotify?.(channel, payload ?? ''));
  }

  get lost(): boolean {
    return this.#lost !== null;
  }

  /**
   * Where a statement got no answer in time: connections on which nothing came since then are not trusted either.
   * It is the middle of the wait, because what was already on its way still comes after a freeze.
   */
  missedSinceMs: number | null = null;

  /** Whether nothing was received since then. */
  silentSince(sinceMs: number): boolean {
    return this.#answeredMs <= sinceMs;
  }

  /** How many bytes it has received. */
  get receivedBytes(): number {
    return this.#stream.bytesRead;
  }

  /** How long the current statement has been waiting for its answer; 0 without one. */
  get waitingMs(): number {
    return this.#sentMs === null ? 0 : clock.elapsedMs() - this.#sentMs;
  }

  async query<Row extends object>(
    statement: Sql,
    answerMs = statement.timeoutMs ?? ANSWER_MS,
  ): Promise<Row[]> {
    await this.limit(answerMs);
    const { text, values } = statement;
    // A name makes the server keep the plan; the text itself is a unique name.
    const name = text.length <= 63 ? { name: text } : {};
    const result = await this.#ask({ text, values: storableValues(values) as unknown[], ...name }, answerMs);
    return result.rows as Row[];
  }

  /** Runs several statements without values. */
  async script(text: string, answerMs = ANSWER_MS): Promise<void> {
    await this.#ask({ text }, answerMs);
  }

  /** Sets the server's time limit for the following statements. Does nothing if it is set already. */
  async limit(answerMs: number): Promise<void> {
    const serverAnswerMs = Math.max(answerMs, ANSWER_MS);
    if (serverAnswerMs === this.#serverAnswerMs) return;
    await this.#ask({ text: serverLimits(serverAnswerMs) }, Math.min(answerMs, ANSWER_MS));
    this.#serverAnswerMs = serverAnswerMs;
  }

  /** Closes the connection at once and rejects the statement that is in flight. */
  close(error: Error): void {
    const isFirst = this.#lost === null;
    this.#lose(error);
    if (isFirst && !this.#ending) this.#events.onAbandoned(this.session);
  }

  /** Ends the session properly, with a short time limit. */
  async end(): Promise<void> {
    this.#ending = true;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(END_MS, () => {
        this.#events.onAbandoned(this.session);
        resolve();
      });
      this.#client.end().then(resolve, () => resolve());
      this.#client.once('end', cancel);
    });
    this.#destroy();
  }

  #ask(query: pg.QueryConfig, answerMs: number): Promise<pg.QueryResult> {
    if (this.#lost !== null) return Promise.reject(unavailable(this.#lost));
    return new Promise((resolve, reject) => {
      let answered = false;
      this.#sentMs = clock.elapsedMs();
      const cancel = clock.after(answerMs, () => {
        // If this process itself was blocked, the answer may have arrived and wait to be read.
        setImmediate(() => {
          if (answered) return;
          this.missedSinceMs = clock.elapsedMs() - answerMs / 2;
          this.close(new Error(`no answer within ${answerMs} ms`));
        });
      });
      const settle = (): void => {
        answered = true;
        cancel();
        this.#sentMs = null;
      };
      this.#client.query(query).then(
        (result) => {
          settle();
          this.#answeredMs = clock.elapsedMs();
          resolve(result);
        },
        (error: unknown) => {
          settle();
          // The server closes the connection with these errors.
          if ((error as { severity?: string }).severity === 'FATAL') this.#lose(error as Error);
          if (this.#lost === null) this.#answeredMs = clock.elapsedMs();
          reject(this.#lost === null ? asUnavailable(error) : unavailable(this.#lost));
        },
      );
    });
  }

  #lose(error: Error): void {
    if (this.#lost !== null) return;
    this.#lost = error;
    this.#destroy();
    if (!this.#ending) this.#events.onLost(this, error);
  }

  #destroy(): void {
    this.#lost ??= new Error('the connection is closed');
    this.#stream.destroy();
  }

  get #stream(): Socket {
    return (this.#client.connection as unknown as { stream: Socket }).stream;
  }
}

/**
 * The number of its process would not do: a pooler gives the session of a client that has left to another one. It then has
 * the name that the other one has given it. The name is part of the first message, so that a session is also found if its
 * connection freezes before it is ready.
 */
function nameSession(client: pg.Client): string {
  const { connectionParameters } = client as unknown as {
    connectionParameters: { application_name?: string };
  };
  // The server replaces all other characters.
  const given = (connectionParameters.application_name || APPLICATION).replace(/[^ -~]/gu, '?');
  const session = `${given.slice(0, NAME_CHARACTERS_MAX)} ${randomBase62(SESSION_CHARACTERS)}`;
  connectionParameters.application_name = session;
  return session;
}

function settings(url: string, connectMs: number): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: APPLICATION,
    types: {
      getTypeParser: ((id: number) =>
        rowParsers[id] ?? pg.types.getTypeParser(id)) as typeof pg.types.getTypeParser,
    },
  };
}

/** The server rolled it back to resolve a deadlock, so it had no effect. */
const UNDONE_STATE = /^40(001|P01)$/;

function asUnavailable(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  const lost =
    code === undefined
      ? /terminated|timeout|ended|closed|not queryable/i.test(message ?? '')
      : isPassing(code) || /^E[A-Z]+$/.test(code);
  return lost ? unavailable(error) : error;
}

function unavailable(error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  return new DatabaseUnavailable(`PostgreSQL: ${(error as Error).message}`, { cause: error });
}

function rethrow(error: unknown): never {
  throw asUnavailable(error);
}

/** Whether it failed in a deadlock and can be retried. */
export function wasUndone(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as { code?: string };
  return code !== undefined && UNDONE_STATE.test(code);
}
