/** The embedded engine: PostgreSQL compiled into the process, in a worker thread, on one folder. */
import { mkdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type Database,
  DatabaseUnavailable,
  markTransaction,
  refuseInsideTransaction,
  type Transaction,
} from './database.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import type { Sql, SqlValue } from './sql.ts';

export type WorkerRequest =
  | { id: number; kind: 'query'; text: string; values: readonly SqlValue[] }
  | { id: number; kind: 'script' | 'listen'; text: string }
  | { id: number; kind: 'close' };

export type WorkerReply =
  | { id: number; result: unknown }
  | { id: number; error: { message: string; code: string | null } }
  | { notify: string; payload: string };

export async function openEmbedded(options: { folder: string }): Promise<Database> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(options.folder);
  const database = new EmbeddedDatabase(join(options.folder, 'postgres'), lock);
  try {
    await database.query({ text: 'select 1', values: [] });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

class EmbeddedDatabase implements Database {
  readonly engine = 'embedded';
  readonly #lock: FolderLock;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  #nextId = 0;
  #closed: Error | null = null;
  /** There is one connection: whoever wants it stands in this line. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, lock: FolderLock) {
    this.#lock = lock;
    const file = new URL(`./embedded-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(file, { workerData: { folder } });
    this.#worker.on('message', (reply: WorkerReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', () => this.#fail(new Error('the embedded database stopped')));
  }

  query<Row extends object>(statement: Sql): Promise<Row[]> {
    refuseInsideTransaction();
    return this.#exclusively(() => this.#ask({ id: 0, kind: 'query', ...statement })) as Promise<Row[]>;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    refuseInsideTransaction();
    const script = async (text: string): Promise<void> => {
      await this.#ask({ id: 0, kind: 'script', text });
    };
    const tx: Transaction = {
      query: async <Row extends object>(statement: Sql) =>
        (await this.#ask({ id: 0, kind: 'query', ...statement })) as Row[],
      script,
    };
    return this.#exclusively(async () => {
      await script('begin');
      try {
        const result = await markTransaction(() => work(tx));
        await script('commit');
        return result;
      } catch (error) {
        await script('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(onNotify));
    if (listeners.size === 1)
      await this.#exclusively(() => this.#ask({ id: 0, kind: 'listen', text: channel }));
    return async () => {
      listeners.delete(onNotify);
    };
  }

  async close(): Promise<void> {
    if (this.#closed !== null) return;
    await this.#exclusively(() => this.#ask({ id: 0, kind: 'close' })).catch(() => undefined);
    this.#closed = new DatabaseUnavailable('the embedded database is closed');
    await this.#worker.terminate();
    this.#lock.release();
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #ask(request: WorkerRequest): Promise<unknown> {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    request.id = ++this.#nextId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  #receive(reply: WorkerReply): void {
    if ('notify' in reply) {
      for (const listener of this.#listeners.get(reply.notify) ?? []) listener(reply.payload);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply)
      waiting?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
    else waiting?.resolve(reply.result);
  }

  #fail(error: Error): void {
    this.#closed ??= new DatabaseUnavailable(error.message, { cause: error });
    for (const waiting of this.#waiting.values()) waiting.reject(this.#closed);
    this.#waiting.clear();
  }
}
