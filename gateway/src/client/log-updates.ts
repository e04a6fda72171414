/** The options and updates of a log follower, and what it remembers between connections. */
import type { LogEventBody, LogLineBody } from '../contract/logs.ts';
import type { Clock } from '../kernel/time.ts';
import type { PodHistories } from './pod-histories.ts';
import type { SourcePositions } from './source-positions.ts';

export interface FollowOptions {
  /** Such as `http://localhost:8080`; empty: the server of the page. */
  readonly url: string;
  readonly project: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly podName?: string;
  readonly container?: string;
  /** False for servers that do not support the `ids` parameter. */
  readonly ids: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Omit if the environment cannot tell. */
  readonly network?: Network;
}

/** Whether there is a network at all. */
export interface Network {
  readonly online: boolean;
  /** Returns the function that stops listening. */
  onChange(listener: () => void): () => void;
}

export type LogState = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed' | 'offline';

export type LogUpdate =
  | { readonly kind: 'lines'; readonly lines: readonly LogLineBody[] }
  | { readonly kind: 'event'; readonly event: LogEventBody }
  | {
      readonly kind: 'state';
      readonly state: LogState;
      /** Reconnect attempts since the last line, of RECONNECT_ATTEMPTS_MAX. */
      readonly attempt: number;
      /** The delay before the next attempt; null: not waiting. */
      readonly delayMs: number | null;
      readonly message: string | null;
      /** The answer that the server rejected the request with; null: there is none. */
      readonly rejection: Rejection | null;
    };

/** A request that is not retried, because it would fail again. */
export interface Rejection {
  readonly status: number;
  /** The id under which the gateway logged it; null: the answer has none. */
  readonly errorRef: string | null;
}

/** How one connection ended. */
export type ConnectionOutcome =
  | { readonly kind: 'ended' }
  | { readonly kind: 'rejected'; readonly message: string; readonly rejection: Rejection }
  | { readonly kind: 'interrupted'; readonly message: string; readonly retryAfterMs: number | null };

/** What a follower remembers between connections. */
export interface FollowProgress {
  /** Used with ids. */
  readonly positions: SourcePositions;
  /** Used without ids. */
  readonly histories: PodHistories;
  /** A line or a heartbeat was received on this connection. */
  progressed: boolean;
  /** The server's clock minus ours. */
  skewMs: number;
}

export function stateUpdate(
  name: LogState,
  attempt: number,
  message: string | null = null,
): LogUpdate & { kind: 'state' } {
  return { kind: 'state', state: name, attempt, delayMs: null, message, rejection: null };
}
