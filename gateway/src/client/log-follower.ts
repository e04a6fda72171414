/**
 * Follows the logs of a project and reconnects when it is interrupted, without losing or repeating a line: by
 * line ids if the server sends them, otherwise by the received lines. Runs in browsers and in Node, for the
 * command line and the console. Reads from the network only when the caller asks for the next update.
 */
import { connectLogs } from './connect-logs.ts';
import {
  type ConnectionOutcome,
  type FollowOptions,
  type FollowProgress,
  type LogUpdate,
  stateUpdate,
} from './log-updates.ts';
import { PodHistories } from './pod-histories.ts';
import { delayBefore, RECONNECT_ATTEMPTS_MAX } from './reconnect.ts';
import { SourcePositions } from './source-positions.ts';

export class LogFollower {
  readonly #options: FollowOptions;
  readonly #progress: FollowProgress = {
    positions: new SourcePositions(),
    histories: new PodHistories(),
    progressed: false,
    skewMs: 0,
  };
  #stopped = false;
  #reconnectNow = false;
  #connection: AbortController | null = null;
  #stopWaiting: (() => void) | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** Connects at once, in any state. */
  reconnect(): void {
    this.#reconnectNow = true;
    this.#connection?.abort();
    this.#stopWaiting?.();
  }

  stop(): void {
    this.#stopped = true;
    this.#connection?.abort();
    this.#stopWaiting?.();
  }

  /** Runs until it is stopped. After `ended` and `failed` it waits for `reconnect`. */
  async *updates(): AsyncGenerator<LogUpdate> {
    const unlisten = this.#options.network?.onChange(() => this.#stopWaiting?.());
    try {
      for (let attempt = 0; !this.#stopped; ) {
        if (this.#options.network?.online === false) yield* this.#waitForNetwork(attempt);
        if (this.#stopped) return;
        yield stateUpdate(attempt === 0 ? 'connecting' : 'reconnecting', attempt);
        const outcome = yield* this.#connect(attempt);
        if (this.#stopped) return;
        if (this.#reconnectNow || this.#progress.progressed) attempt = 0;
        if (this.#reconnectNow) {
          this.#reconnectNow = false;
          continue;
        }
        // Being offline does not count as an attempt.
        if (outcome.kind === 'interrupted' && this.#options.network?.online === false) continue;
        attempt = outcome.kind === 'interrupted' ? attempt + 1 : 0;
        if (outcome.kind !== 'interrupted' || attempt > RECONNECT_ATTEMPTS_MAX) {
          yield endOf(outcome);
          await this.#waitUntil(() => this.#reconnectNow);
          attempt = 0;
        } else {
          const delayMs = delayBefore(attempt, outcome.retryAfterMs);
          yield { ...stateUpdate('reconnecting', attempt, outcome.message), delayMs };
          await this.#pause(delayMs);
        }
        this.#reconnectNow = false;
      }
    } finally {
      unlisten?.();
      this.stop();
    }
  }

  async *#connect(attempt: number): AsyncGenerator<LogUpdate, ConnectionOutcome> {
    const connection = new AbortController();
    this.#connection = connection;
    this.#progress.progressed = false;
    try {
      return yield* connectLogs(this.#options, this.#progress, attempt, connection);
    } finally {
      connection.abort();
      this.#connection = null;
    }
  }

  async *#waitForNetwork(attempt: number): AsyncGenerator<LogUpdate> {
    yield stateUpdate('offline', attempt);
    await this.#waitUntil(() => this.#reconnectNow || this.#options.network?.online !== false);
    this.#reconnectNow = false;
  }

  async #waitUntil(ready: () => boolean): Promise<void> {
    while (!this.#stopped && !ready()) {
      await new Promise<void>((resolve) => {
        this.#stopWaiting = resolve;
      });
    }
    this.#stopWaiting = null;
  }

  /** Ends early on `reconnect` and when the network is back. */
  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(delayMs, resolve);
      this.#stopWaiting = (): void => {
        cancel();
        resolve();
      };
      if (this.#stopped || this.#reconnectNow) this.#stopWaiting();
    });
    this.#stopWaiting = null;
  }
}

function endOf(outcome: ConnectionOutcome): LogUpdate {
  if (outcome.kind === 'ended') return stateUpdate('ended', 0);
  const rejection = outcome.kind === 'rejected' ? outcome.rejection : null;
  return { ...stateUpdate('failed', 0, outcome.message), rejection };
}
