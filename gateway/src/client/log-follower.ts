/**
 * Follows the logs of a project and comes back when it is cut, without losing or repeating a line: by the
 * ids of lines where the server gives them, else by what was received. Runs in browsers and in Node; used
 * by the command line and the console alike. Nothing is read from the network before it is asked for.
 */
import { connectLogs } from './connect-logs.ts';
import {
  type ConnectionOutcome,
  type FollowOptions,
  type FollowProgress,
  type LogUpdate,
  state,
} from './log-updates.ts';
import { PodHistories } from './pod-histories.ts';
import { delayBefore, RECONNECT_ATTEMPTS_MAX } from './reconnect.ts';
import { SourcePositions } from './source-positions.ts';

export class LogFollower {
  readonly #options: FollowOptions;
  readonly #known: FollowProgress = {
    places: new SourcePositions(),
    trails: new PodHistories(),
    progressed: false,
    skewMs: 0,
  };
  #stopped = false;
  #again = false;
  #connection: AbortController | null = null;
  #wake: (() => void) | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  /** Connects now, whatever it is doing. */
  reconnect(): void {
    this.#again = true;
    this.#connection?.abort();
    this.#wake?.();
  }

  stop(): void {
    this.#stopped = true;
    this.#connection?.abort();
    this.#wake?.();
  }

  /** Goes on until it is stopped: after `ended` and `failed` it waits for `reconnect`. */
  async *updates(): AsyncGenerator<LogUpdate> {
    const unlisten = this.#options.network?.onChange(() => this.#wake?.());
    try {
      for (let attempt = 0; !this.#stopped; ) {
        if (this.#options.network?.online === false) yield* this.#waitForNetwork(attempt);
        if (this.#stopped) return;
        yield state(attempt === 0 ? 'connecting' : 'reconnecting', attempt);
        const outcome = yield* this.#connect(attempt);
        if (this.#stopped) return;
        if (this.#again || this.#known.progressed) attempt = 0;
        if (this.#again) {
          this.#again = false;
          continue;
        }
        // Without a network no attempt is lost.
        if (outcome.kind === 'cut' && this.#options.network?.online === false) continue;
        attempt = outcome.kind === 'cut' ? attempt + 1 : 0;
        if (outcome.kind !== 'cut' || attempt > RECONNECT_ATTEMPTS_MAX) {
          yield state(outcome.kind === 'ended' ? 'ended' : 'failed', 0, messageOf(outcome));
          await this.#waitUntil(() => this.#again);
          attempt = 0;
        } else {
          const delayMs = delayBefore(attempt, outcome.retryAfterMs);
          yield { ...state('reconnecting', attempt, outcome.message), delayMs };
          await this.#pause(delayMs);
        }
        this.#again = false;
      }
    } finally {
      unlisten?.();
      this.stop();
    }
  }

  async *#connect(attempt: number): AsyncGenerator<LogUpdate, ConnectionOutcome> {
    const connection = new AbortController();
    this.#connection = connection;
    this.#known.progressed = false;
    try {
      return yield* connectLogs(this.#options, this.#known, attempt, connection);
    } finally {
      connection.abort();
      this.#connection = null;
    }
  }

  async *#waitForNetwork(attempt: number): AsyncGenerator<LogUpdate> {
    yield state('offline', attempt);
    await this.#waitUntil(() => this.#again || this.#options.network?.online !== false);
    this.#again = false;
  }

  async #waitUntil(ready: () => boolean): Promise<void> {
    while (!this.#stopped && !ready()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = null;
  }

  /** Over sooner when somebody asks, or the network comes back. */
  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(delayMs, resolve);
      this.#wake = (): void => {
        cancel();
        resolve();
      };
      if (this.#stopped || this.#again) this.#wake();
    });
    this.#wake = null;
  }
}

function messageOf(outcome: ConnectionOutcome): string | null {
  return outcome.kind === 'ended' ? null : outcome.message;
}
