/**
 * Asks the server about connections that went silent, after one of them has missed a deadline. The server knows which
 * statements it works on. The answers to all others were lost on the way, so nobody has to wait for their deadlines. It also
 * ends the sessions of connections that were closed here: if the network is broken, the server does not notice that, and
 * keeps the locks of their transactions.
 */
import { type Clock, pause } from '../kernel/time.ts';
import { CALL_ANSWER_MS, IDLE_IN_TRANSACTION_MS } from './deadlines.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { sql, within } from './sql.ts';

/** A connection on which nothing came between two looks is silent. */
const LOOK_MS = 200;
/** The connection that asks can go silent too. It must not delay the others by more than a statement of a call does. */
const ASK_MS = CALL_ANSWER_MS;
/** After that the server ends the transactions itself, and statements have met or missed their own deadlines. */
const LOOKING_MS = IDLE_IN_TRANSACTION_MS;

export interface SilentSessionsOptions {
  readonly clock: Clock;
  /** A new connection; rejects if it takes longer. */
  open(waitMs: number): Promise<PostgresConnection>;
  /** The connections that wait for an answer, and have received none since one of them missed a deadline. */
  waiting(): PostgresConnection[];
}

export class SilentSessions {
  readonly #options: SilentSessionsOptions;
  readonly #stopping = new AbortController();
  /** Sessions whose connections were closed, and until when they are searched. */
  readonly #left = new Map<string, number>();
  #untilMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(options: SilentSessionsOptions) {
    this.#options = options;
  }

  /** A connection has missed a deadline: others may be as silent. */
  look(): void {
    this.#untilMs = this.#options.clock.elapsedMs() + LOOKING_MS;
    this.#start();
  }

  /** The connection of a session was closed, and the server may not notice it. */
  left(session: string): void {
    this.#left.set(session, this.#options.clock.elapsedMs() + LOOKING_MS);
    this.#start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }

  #start(): void {
    if (this.#looking === null && this.#hasWork()) this.#looking = this.#look();
  }

  async #look(): Promise<void> {
    const { clock, open } = this.#options;
    const received = new Map<PostgresConnection, number>();
    let asking: PostgresConnection | null = null;
    for (;;) {
      try {
        asking ??= await open(ASK_MS);
        await this.#closeLost(asking, received);
        await this.#endLeft(asking);
      } catch {
        // The next look opens another connection, because this one may have gone silent like the others.
      }
      await pause(clock, LOOK_MS, this.#stopping.signal);
      if (asking?.lost) asking = null;
      if (this.#hasWork()) continue;
      // If it freezes now, there is work again: another one ends its session.
      await asking?.end();
      asking = null;
      if (!this.#hasWork()) break;
    }
    this.#looking = null;
  }

  #hasWork(): boolean {
    if (this.#stopping.signal.aborted) return false;
    const nowMs = this.#options.clock.elapsedMs();
    for (const [session, untilMs] of this.#left) if (untilMs < nowMs) this.#left.delete(session);
    return this.#left.size > 0 || (nowMs < this.#untilMs && this.#options.waiting().length > 0);
  }

  /** `received`: how many bytes each connection had received at the last look. */
  async #closeLost(asking: PostgresConnection, received: Map<PostgresConnection, number>): Promise<void> {
    const silent = this.#options
      .waiting()
      .filter((connection) => {
        const { receivedBytes } = connection;
        const isSilent = received.get(connection) === receivedBytes && connection.waitingMs >= LOOK_MS;
        received.set(connection, receivedBytes);
        return isSilent;
      })
      .map((connection) => ({ connection, receivedBytes: connection.receivedBytes }));
    if (silent.length === 0) return;
    const working = await workingSessions(
      asking,
      silent.map(({ connection }) => connection.session),
    );
    for (const { connection, receivedBytes } of silent) {
      if (working.has(connection.session) || connection.receivedBytes !== receivedBytes) continue;
      connection.close(new Error('the answer of the server was lost'));
    }
  }

  async #endLeft(asking: PostgresConnection): Promise<void> {
    if (this.#left.size === 0) return;
    const sessions = [...this.#left.keys()];
    const ended = new Set(await endSessions(asking, sessions));
    for (const session of sessions) if (!ended.has(session)) this.#left.delete(session);
  }
}

/** Those for which the server works at this moment. One that waits for its client has nothing to do, or cannot answer. */
async function workingSessions(
  asking: PostgresConnection,
  sessions: readonly string[],
): Promise<Set<string>> {
  const statement = sql`
    select application_name as session from pg_stat_activity
    where application_name = any(${sessions}::text[]) and state = 'active'
      and wait_event_type is distinct from 'Client'`;
  const rows = await asking.query<{ session: string }>(within(ASK_MS, statement));
  return new Set(rows.map(({ session }) => session));
}

/** Ends those that have nothing to do. Returns those that still exist: the ended ones are gone at the next look. */
async function endSessions(asking: PostgresConnection, sessions: readonly string[]): Promise<string[]> {
  const statement = sql`
    select application_name as session,
      case when state = 'active' and wait_event_type is distinct from 'Client' then false
        else pg_terminate_backend(pid) end as ended
    from pg_stat_activity
    where application_name = any(${sessions}::text[]) and usename = current_user`;
  const rows = await asking.query<{ session: string }>(within(ASK_MS, statement));
  return rows.map(({ session }) => session);
}
