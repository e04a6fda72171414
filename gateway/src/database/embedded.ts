/** The embedded engine: PostgreSQL compiled into the process, in a worker thread, on one folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, pause } from '../kernel/time.ts';
import { copyFolder } from './copy-folder.ts';
import {
  type Database,
  markTransaction,
  type Queryable,
  refuseInsideTransaction,
  type Transaction,
  type TransactionOptions,
} from './database.ts';
import { DeadlineQueue, type Queued } from './deadline-queue.ts';
import { ANSWER_MS, LONG_ANSWER_MS } from './deadlines.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import type { Sql } from './sql.ts';

export interface EmbeddedOptions {
  readonly folder: string;
  readonly clock: Clock;
  /** Called each time the engine is lost or could not be reopened. */
  readonly onLost?: (error: Error) => void;
  /** An engine without an answer for this long has hung and is reopened. */
  readonly hungMs?: number;
}

const HUNG_MS = 30_000;
/** The folder of the engine in the data folder. */
const SUBFOLDER = 'postgres';

/** Between two attempts to reopen a lost engine; each reads the folder again. */
const REOPEN_DELAY_MS = 1_000;

export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(options.folder);
  const database = new EmbeddedDatabase(options, lock);
  try {
    await database.query({ text: 'select 1', values: [] });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

interface Turn extends Queued {
  /** Calls `next` when the connection is free again, also after a failure. */
  begin(next: () => void): void;
}

class EmbeddedDatabase implements Database {
  readonly engine = 'embedded';
  readonly #options: EmbeddedOptions;
  readonly #lock: FolderLock;
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  readonly #closing = new AbortController();
  #engine: EmbeddedEngine;
  #reopening: Promise<void> | null = null;
  /** There is one connection. Statements wait here for it, earliest deadline first. */
  readonly #queue = new DeadlineQueue<Turn>();
  #busy = false;
  #pending: () => Promise<void> | null = () => null;

  constructor(options: EmbeddedOptions, lock: FolderLock) {
    this.#options = options;
    this.#lock = lock;
    this.#engine = this.#open();
  }

  query<Row extends object>(statement: Sql): Promise<Row[]> {
    refuseInsideTransaction();
    return this.#afterPending(() => this.#run(statement));
  }

  #run<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.#exclusively((engine) => engine.query(statement), statement.timeoutMs) as Promise<Row[]>;
  }

  applyBefore(pending: () => Promise<void> | null): Queryable {
    this.#pending = pending;
    return { query: (statement) => this.#run(statement) };
  }

  #afterPending<T>(work: () => Promise<T>): Promise<T> {
    const pending = this.#pending();
    return pending === null ? work() : pending.then(work);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, { timeoutMs }: TransactionOptions = {}): Promise<T> {
    refuseInsideTransaction();
    return this.#afterPending(() => this.#transact(work, timeoutMs));
  }

  #transact<T>(work: (tx: Transaction) => Promise<T>, timeoutMs: number | undefined): Promise<T> {
    return this.#exclusively(async (engine) => {
      const script = async (text: string): Promise<void> => {
        await engine.ask({ id: 0, kind: 'script', text }, timeoutMs);
      };
      const tx: Transaction = {
        query: async <Row extends object>(statement: Sql) =>
          (await engine.query(statement, timeoutMs)) as Row[],
        script,
      };
      await script('begin');
      try {
        const result = await markTransaction(() => work(tx));
        await script('commit');
        return result;
      } catch (error) {
        // An engine that cannot roll back is lost, and the next statement reports it.
        await script('rollback').catch(() => undefined);
        throw error;
      }
    }, timeoutMs);
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(onNotify));
    if (listeners.size === 1)
      await this.#exclusively((engine) => engine.ask({ id: 0, kind: 'listen', text: channel }));
    return async () => {
      listeners.delete(onNotify);
    };
  }

  async copyTo(folder: string): Promise<void> {
    refuseInsideTransaction();
    await this.#pending();
    const folders = { from: this.#folder, to: join(folder, SUBFOLDER) };
    await copyFolder(folders, (work) =>
      this.#exclusively(async (engine) => {
        // Then the copy opens without a recovery.
        await engine.ask({ id: 0, kind: 'script', text: 'checkpoint' }, LONG_ANSWER_MS);
        await work();
      }),
    );
  }

  async restart(): Promise<void> {
    refuseInsideTransaction();
    await this.#exclusively(async (engine) => {
      await engine.ask({ id: 0, kind: 'close' }, LONG_ANSWER_MS);
      await engine.end();
      this.#engine = this.#open();
      await this.#prepare(this.#engine);
    }, LONG_ANSWER_MS);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    await this.#exclusively((engine) => engine.ask({ id: 0, kind: 'close' })).catch(() => undefined);
    this.#closing.abort();
    await this.#reopening;
    await this.#engine.end();
    this.#lock.release();
  }

  /** Work stays on the engine it began on: a transaction never continues in another run. */
  #exclusively<T>(work: (engine: EmbeddedEngine) => Promise<T>, timeoutMs = ANSWER_MS): Promise<T> {
    const gate = Promise.withResolvers<void>();
    const turn = gate.promise.then(() => work(this.#engine));
    const dueMs = this.#options.clock.elapsedMs() + Math.min(timeoutMs, ANSWER_MS);
    this.#queue.add({
      dueMs,
      begin: (next) => {
        turn.then(next, next);
        gate.resolve();
      },
    });
    if (!this.#busy) this.#serveNext();
    return turn;
  }

  #serveNext(): void {
    const turn = this.#queue.shift();
    this.#busy = turn !== undefined;
    turn?.begin(() => this.#serveNext());
  }

  get #folder(): string {
    return join(this.#options.folder, SUBFOLDER);
  }

  #open(): EmbeddedEngine {
    const engine: EmbeddedEngine = new EmbeddedEngine(this.#folder, {
      hungMs: this.#options.hungMs ?? HUNG_MS,
      notify: (channel, payload) => this.#notify(channel, payload),
      lost: (error) => {
        this.#options.onLost?.(error);
        if (engine === this.#engine) this.#reopenLater();
      },
    });
    return engine;
  }

  #notify(channel: string, payload: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }

  #reopenLater(): void {
    if (this.#closing.signal.aborted) return;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = null;
    });
  }

  /** Retries until the folder opens, which a full disk can prevent for long. Statements fail meanwhile. */
  async #reopen(): Promise<void> {
    const { signal } = this.#closing;
    let last = this.#engine;
    for (;;) {
      // One at a time: two engines on one folder would corrupt it.
      await last.end();
      await pause(this.#options.clock, REOPEN_DELAY_MS, signal);
      if (signal.aborted) return;
      last = this.#open();
      if (await this.#isReady(last)) break;
    }
    this.#engine = last;
    // Notifications in between are lost, so listeners must poll.
    for (const channel of this.#listeners.keys()) this.#notify(channel, '');
  }

  async #isReady(engine: EmbeddedEngine): Promise<boolean> {
    try {
      await this.#prepare(engine);
    } catch {
      // The engine reports it if it is more than one failed statement.
      return false;
    }
    return !engine.isLost;
  }

  async #prepare(engine: EmbeddedEngine): Promise<void> {
    await engine.query({ text: 'select 1', values: [] });
    for (const channel of this.#listeners.keys()) await engine.ask({ id: 0, kind: 'listen', text: channel });
  }
}
