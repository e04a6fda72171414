/**
 * Access to Redis or Valkey: runs scripts with a short timeout. It knows nothing of the product. Every caller needs a
 * fallback: while the server is down, or slower than `ANSWER_MS_MAX`, nobody waits, and one caller per second checks
 * whether it is back.
 */

import { hash } from 'node:crypto';
import type { Running } from '../kernel/running.ts';
import type { Clock } from '../kernel/time.ts';

export const ANSWER_MS_MAX = 100;
const WAIT_PARTS = 4;
const RETRY_MS = 1_000;
const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS_MAX = 1_000;
/** A connection that does not even answer pings is dead. */
const PING_MS = 2_000;
const SILENCE_MS_MAX = 5_000;
/** With more requests in flight the server counts as down. */
const WAITING_MAX = 10_000;

export interface RedisOptions {
  readonly url: string;
  readonly clock: Clock;
  /** Called when it becomes unavailable. */
  readonly onAway?: (error: Error) => void;
  /** Called when it is available again. */
  readonly onBack?: () => void;
}

export class RedisScript {
  readonly text: string;
  /** The SHA-1 under which the server caches it. */
  readonly digest: string;

  constructor(text: string) {
    this.text = text;
    this.digest = hash('sha1', text, 'hex');
  }
}

type Client = Awaited<ReturnType<typeof createClient>>;

export class Redis implements Running {
  readonly #options: RedisOptions;
  #client: Client | null = null;
  #away = false;
  #triedMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: RedisOptions) {
    this.#options = options;
  }

  /** Resolves when connected, or when connecting failed; retries continue in the background. */
  async start(): Promise<void> {
    const client = await createClient(this.#options.url);
    this.#client = client;
    client.on('error', (error: Error) => this.#lost(error));
    client.on('ready', () => {
      // The next caller may try at once.
      this.#triedMs = Number.NEGATIVE_INFINITY;
    });
    await new Promise<void>((resolve) => {
      client.once('error', () => resolve());
      client.connect().then(
        () => resolve(),
        () => resolve(),
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#client?.isOpen) this.#client.destroy();
    this.#client = null;
  }

  get away(): boolean {
    return this.#away;
  }

  /** Null if the server counts as down; rejects without an answer in time. */
  run(script: RedisScript, args: { keys: string[]; values: string[] }): Promise<unknown> | null {
    const client = this.#client;
    if (client === null || !client.isReady || !this.#mayTry()) return null;
    const options = { keys: args.keys, arguments: args.values };
    const answer = client.evalSha(script.digest, options).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(script.text, options);
    });
    return this.#inTime(answer);
  }

  #mayTry(): boolean {
    if (!this.#away) return true;
    const nowMs = this.#options.clock.elapsedMs();
    if (nowMs - this.#triedMs < RETRY_MS) return false;
    this.#triedMs = nowMs;
    return true;
  }

  #inTime(answer: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let over = false;
      const fail = (error: Error): void => {
        if (over) return;
        over = true;
        stopWaiting();
        this.#lost(error);
        reject(error);
      };
      const late = (): void => fail(new Error(`Redis gave no answer within ${ANSWER_MS_MAX} ms`));
      let stopWaiting = (): void => undefined;
      // Waits in parts, and one turn more: if this process was busy, the answer is there but unread.
      const wait = (parts: number): void => {
        const next = (): void => void (parts === 1 ? setImmediate(late) : wait(parts - 1));
        stopWaiting = this.#options.clock.after(ANSWER_MS_MAX / WAIT_PARTS, next);
      };
      wait(WAIT_PARTS);
      answer.then((value) => {
        // A late answer does not make a slow server available.
        if (over) return;
        over = true;
        stopWaiting();
        this.#answered();
        resolve(value);
      }, fail);
    });
  }

  #lost(error: Error): void {
    if (this.#away || this.#stopped) return;
    this.#away = true;
    this.#triedMs = this.#options.clock.elapsedMs();
    this.#options.onAway?.(error);
  }

  #answered(): void {
    if (!this.#away) return;
    this.#away = false;
    this.#options.onBack?.();
  }
}

/** The library is loaded on first use. */
async function createClient(url: string) {
  const library = await import('@redis/client');
  return library.createClient({
    url,
    // A call never waits for a server that is down.
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_MAX,
    pingInterval: PING_MS,
    maintNotifications: 'disabled',
    disableClientInfo: true,
    name: 'tollgate',
    socket: {
      connectTimeout: CONNECT_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
      reconnectStrategy: (retries) => Math.min(50 * (retries + 1), RECONNECT_MS_MAX),
    },
  });
}
