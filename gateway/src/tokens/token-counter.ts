/**
 * Counts tokens if a provider did not. The tables take half a second and tens of megabytes to load, so they are in a
 * worker thread that starts on demand and ends when idle.
 */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Stoppable } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';

export interface CountRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountReply {
  readonly id: number;
  readonly tokens: number;
}

/** Estimate for when the thread fails; close for most languages. */
const CHARACTERS_PER_TOKEN = 4;
const IDLE_MS = 30_000;

export class TokenCounter implements Stoppable {
  readonly #clock: Clock;
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, { resolve: (tokens: number) => void; texts: readonly string[] }>();
  #nextId = 0;
  #cancelRest: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the worker thread runs. */
  get active(): boolean {
    return this.#worker !== null;
  }

  /** The total number of tokens of all texts. */
  async count(texts: readonly string[]): Promise<number> {
    if (texts.every((text) => text === '')) return 0;
    const id = ++this.#nextId;
    this.#cancelRest?.();
    this.#cancelRest = null;
    return await new Promise((resolve) => {
      this.#waiting.set(id, { resolve, texts });
      this.#started().postMessage({ id, texts } satisfies CountRequest);
    });
  }

  async stop(): Promise<void> {
    this.#cancelRest?.();
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#answerRoughly();
  }

  /** No count is under way, so a failure to terminate affects nothing. */
  #rest(): void {
    const worker = this.#worker;
    this.#worker = null;
    worker?.terminate().catch(() => undefined);
  }

  #started(): Worker {
    if (this.#worker === null) {
      const file = new URL(`./token-worker${extname(import.meta.url)}`, import.meta.url);
      const worker = new Worker(file);
      worker.unref();
      worker.on('message', ({ id, tokens }: CountReply) => {
        this.#waiting.get(id)?.resolve(tokens);
        this.#waiting.delete(id);
        // A thread that is being stopped must not set a timer, which would keep the process alive.
        if (this.#waiting.size === 0 && this.#worker === worker)
          this.#cancelRest = this.#clock.after(IDLE_MS, () => this.#rest());
      });
      worker.on('error', () => {
        if (this.#worker === worker) this.#worker = null;
        this.#answerRoughly();
      });
      this.#worker = worker;
    }
    return this.#worker;
  }

  /** Nothing waits forever: counts that the thread left open are estimated from the length. */
  #answerRoughly(): void {
    for (const { resolve, texts } of this.#waiting.values()) resolve(roughTokens(texts.join('').length));
    this.#waiting.clear();
  }
}

export function roughTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
