/** One run of the embedded engine in its thread, and the protocol between the threads. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../kernel/durations.ts';
import { systemClock } from '../kernel/time.ts';
import { DatabaseUnavailable, isPassing } from './database.ts';
import { type Sql, type SqlValue, storableValues } from './sql.ts';

/** Creating a folder or recovering one takes long on a busy machine. */
const OPENING_MS = 3 * MINUTE_MS;

/** A WebAssembly.Module, which Node's types do not include. */
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
  /** The engine has failed and must be reopened. */
  readonly fatal: boolean;
}

export type WorkerReply =
  | { id: number; result: unknown }
  | { id: number; error: WorkerError }
  | { notify: string; payload: string }
  | { compiled: CompiledEngine };

interface Waiting {
  /** Cancels its deadline. */
  readonly answered: () => void;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The same for every folder. */
let compiled: CompiledEngine | null = null;

/** The answer to a statement comes from the run that it was sent to, or not at all. */
export class EmbeddedEngine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onNotify: (channel: string, payload: string) => void;
  readonly #onLost: (error: Error) => void;
  readonly #hungMs: number;
  #nextId = 0;
  /** Until its first answer it may still be opening the folder. */
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
   * All callers share one engine, so a slow statement is waited for. One that takes far longer than any statement
   * should has hung the thread, and this run will not answer again.
   */
  ask(request: WorkerRequest, timeoutMs = 0): Promise<unknown> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    request.id = ++this.#nextId;
    const hungMs = Math.max(this.#hungMs, timeoutMs, this.#opening ? OPENING_MS : 0);
    return new Promise((resolve, reject) => {
      const answered = systemClock.after(hungMs, () => {
        // If this thread itself was blocked, the answer may have arrived and wait to be read.
        setImmediate(() => {
          if (this.#waiting.has(request.id)) this.#lose(new Error(`no answer within ${hungMs} ms`));
        });
      });
      this.#waiting.set(request.id, { answered, resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  /** Terminates the thread, so that nothing in its memory is written to disk. */
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
