/**
 * Counts tokens if a provider did not. The tables take half a second and tens of megabytes to load, so they are in a
 * worker thread that starts on demand and ends when idle. Spaces take turns there (`token-worker.ts`). A count has a
 * deadline, and what a space may have waiting is limited.
 */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Cancellation } from '../kernel/cancellation.ts';
import { estimateTokens } from '../kernel/rough-tokens.ts';
import type { Stoppable } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';

export type CountMessage = CountRequest | { readonly cancel: number };

interface CountRequest {
  readonly id: number;
  readonly lane: string;
  readonly texts: readonly string[];
}

export interface CountReply {
  readonly id: number;
  readonly tokens: number;
}

/** What the thread says first. */
export const COUNTER_READY = 'ready';

export interface CountFor {
  /** Lanes take turns: the id of a space. */
  readonly lane: string;
  /** Ends the count. Its listener is replaced. */
  readonly cancellation?: Cancellation;
}

const IDLE_MS = 30_000;
/** A count that takes longer is given up. */
export const COUNT_MS_MAX = 10_000;
/** For the start of the thread, which is no work of a count: a machine may be busy with other things. */
export const START_MS_MAX = 30_000;
/** What a lane may have waiting: the longest prompts that fit into memory, twice. */
export const LANE_CHARACTERS_MAX = 64 * 1024 * 1024;

interface Waiting {
  readonly lane: string;
  readonly characters: number;
  /** Sets its deadline, instead of the one before. */
  endWithin(limitMs: number): void;
  /** Null: not counted. */
  end(tokens: number | null): void;
}

export class TokenCounter implements Stoppable {
  readonly #clock: Clock;
  #worker: Worker | null = null;
  #isReady = false;
  readonly #waiting = new Map<number, Waiting>();
  /** Characters that wait, by lane. */
  readonly #lanes = new Map<string, number>();
  #nextId = 0;
  #cancelRest: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the worker thread runs. */
  get active(): boolean {
    return this.#worker !== null;
  }

  /**
   * The total number of tokens of all texts. Null if they were not counted: it took too long, too much waits in the lane,
   * or it was cancelled.
   */
  async count(texts: readonly string[], { lane, cancellation }: CountFor): Promise<number | null> {
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    if (characters === 0) return 0;
    const waiting = this.#lanes.get(lane) ?? 0;
    if (waiting + characters > LANE_CHARACTERS_MAX || cancellation?.cancelled) return null;
    this.#lanes.set(lane, waiting + characters);
    const id = ++this.#nextId;
    this.#cancelRest?.();
    this.#cancelRest = null;
    const counted = Promise.withResolvers<number | null>();
    const giveUp = (): void => this.#giveUp(id);
    let cancelDeadline = (): void => undefined;
    const endWithin = (limitMs: number): void => {
      cancelDeadline();
      cancelDeadline = this.#clock.after(limitMs, giveUp);
    };
    cancellation?.onCancel(giveUp);
    const end = (tokens: number | null): void => {
      cancelDeadline();
      counted.resolve(tokens);
    };
    this.#waiting.set(id, { lane, characters, endWithin, end });
    this.#send({ id, lane, texts });
    endWithin(this.#isReady ? COUNT_MS_MAX : START_MS_MAX);
    return await counted.promise;
  }

  /** The same, with an estimate for what was not counted. */
  async countOrEstimate(texts: readonly string[], of: Omit<CountFor, 'cancellation'>): Promise<number> {
    return (await this.count(texts, of)) ?? estimateTokens(texts);
  }

  async stop(): Promise<void> {
    this.#cancelRest?.();
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    this.#giveUpAll();
  }

  /** No count is under way, so a failure to terminate affects nothing. */
  #rest(): void {
    const worker = this.#worker;
    this.#worker = null;
    worker?.terminate().catch(() => undefined);
  }

  #send(message: CountMessage): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const file = new URL(`./token-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file);
    worker.unref();
    this.#isReady = false;
    worker.on('message', (message: CountReply | typeof COUNTER_READY) => {
      if (message === COUNTER_READY) return this.#ready(worker);
      this.#end(message.id, message.tokens);
      // A thread that is being stopped must not set a timer, which would keep the process alive.
      if (this.#waiting.size === 0 && this.#worker === worker) this.#restLater();
    });
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = null;
      this.#giveUpAll();
    });
    return worker;
  }

  #ready(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#isReady = true;
    for (const waiting of this.#waiting.values()) waiting.endWithin(COUNT_MS_MAX);
  }

  #restLater(): void {
    this.#cancelRest?.();
    this.#cancelRest = this.#clock.after(IDLE_MS, () => this.#rest());
  }

  #end(id: number, tokens: number | null): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    const left = (this.#lanes.get(waiting.lane) ?? 0) - waiting.characters;
    if (left > 0) this.#lanes.set(waiting.lane, left);
    else this.#lanes.delete(waiting.lane);
    waiting.end(tokens);
  }

  #giveUp(id: number): void {
    if (!this.#waiting.has(id)) return;
    this.#end(id, null);
    this.#worker?.postMessage({ cancel: id } satisfies CountMessage);
    if (this.#waiting.size === 0 && this.#worker !== null) this.#restLater();
  }

  /** Nothing waits forever, whatever happens to the thread. */
  #giveUpAll(): void {
    for (const id of [...this.#waiting.keys()]) this.#end(id, null);
  }
}
