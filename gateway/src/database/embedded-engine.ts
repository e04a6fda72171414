/** One life of the embedded engine in its thread, and the small protocol spoken with it. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../kernel/durations.ts';
import { systemClock } from '../kernel/time.ts';
import { DatabaseUnavailable, isPassing } from './database.ts';
import { type Sql, type SqlValue, storableValues } from './sql.ts';

/** A new folder is made, or an old one recovered, on a machine that is busy. */
const OPENING_MS = 3 * MINUTE_MS;

/** A WebAssembly.Module, which the types of Node do not know. */
export type CompiledEngine = object;

export interface WorkerData {
  readonly folder: string;
  readonly compiled: CompiledEngine | null;
}

export type WorkerRequest =
  | { id: number; kind: 'query'; text: string; values: readonly SqlValue[] }
  | { id: number; kind: 'script' | 'listen'; text: string }
  | { id: number; kind: 'close' };

export interface WorkerError {
  readonly message: string;
  readonly code: string | null;
  /** The engine can do nothing any more: it has to be opened again. */
  readonly fatal: boolean;
}

export type WorkerReply =
  | { id: number; result: unknown }
  | { id: number; error: WorkerError }
  | { notify: string; payload: string }
  | { compiled: CompiledEngine };

interface Waiting {
  /** Stops the watch over its deadline. */
  readonly answered: () => void;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The same for every folder. */
let compiled: CompiledEngine | null = null;

/** What waits for an answer of one life never gets one of the next. */
export class EmbeddedEngine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onNotify: (channel: string, payload: string) => void;
  readonly #onLost: (error: Error) => void;
  readonly #hungMs: number;
  #nextId = 0;
  /** Until its first answer it may still be reading the folder. */
  #opening = true;
  #lost: DatabaseUnavailable | null = null;

  constructor(
    folder: string,
    on: {
      hungMs: number;
      notify: (channel: string, payload: string) => void;
      lost: (error: Error) => void;
    },
  ) {
    this.#hungMs = on.hungMs;
    this.#onNotify = on.notify;
    this.#onLost = on.lost;
    const file = new URL(`./embedded-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(file, { workerData: { folder, compiled } satisfies WorkerData });
    this.#worker.on('message', (reply: WorkerReply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#lose(error as Error));
    this.#worker.on('exit', () => this.#lose(new Error('the embedded database stopped')));
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  query(statement: Sql, timeoutMs = statement.timeoutMs): Promise<unknown> {
    const { text, values } = statement;
    return this.ask({ id: 0, kind: 'query', text, values: storableValues(values) }, timeoutMs);
  }

  /**
   * There is one engine for everybody, so a statement that only takes long is waited for. One that takes much
   * longer than any should has hung the thread: nobody is ever answered again by this life of it.
   */
  ask(request: WorkerRequest, timeoutMs = 0): Promise<unknown> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    request.id = ++this.#nextId;
    const hungMs = Math.max(this.#hungMs, timeoutMs, this.#opening ? OPENING_MS : 0);
    return new Promise((resolve, reject) => {
      const answered = systemClock.after(hungMs, () => {
        // Where this thread itself was held up, the answer may have come and only wait to be read.
        setImmediate(() => {
          if (this.#waiting.has(request.id)) this.#lose(new Error(`no answer within ${hungMs} ms`));
        });
      });
      this.#waiting.set(request.id, { answered, resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  /** Without a word to the engine: nothing it has in memory is written any more. */
  async end(): Promise<void> {
    this.#lost ??= new DatabaseUnavailable('the embedded database is closed');
    await this.#worker.terminate();
  }

  #receive(reply: WorkerReply): void {
    if ('compiled' in reply) {
      compiled = reply.compiled;
      return;
    }
    if ('notify' in reply) {
      this.#onNotify(reply.notify, reply.payload);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    waiting?.answered();
    this.#opening = false;
    if (!('error' in reply)) {
      waiting?.resolve(reply.result);
      return;
    }
    const { message, code, fatal } = reply.error;
    const error = Object.assign(new Error(message), { code });
    const passing = fatal || (code !== null && isPassing(code));
    waiting?.reject(passing ? new DatabaseUnavailable(`embedded: ${message}`, { cause: error }) : error);
    if (fatal) this.#lose(error);
  }

  #lose(error: Error): void {
    if (this.#lost !== null) return;
    this.#lost = new DatabaseUnavailable(`embedded: ${error.message}`, { cause: error });
    for (const waiting of this.#waiting.values()) {
      waiting.answered();
      waiting.reject(this.#lost);
    }
    this.#waiting.clear();
    this.#onLost(error);
  }
}
