/** What a follower is told to do, what it tells, and what it knows between connections. */
import type { LogEventBody, LogLineBody } from '../contract/logs.ts';
import type { Clock } from '../kernel/time.ts';
import type { PodHistories } from './pod-histories.ts';
import type { SourcePositions } from './source-positions.ts';

export interface FollowOptions {
  /** Such as `http://localhost:8080`; empty for the page's own server. */
  readonly url: string;
  readonly project: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly podName?: string;
  readonly container?: string;
  /** False for servers that know only the specified parameters. */
  readonly ids: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Left out where the machine cannot tell. */
  readonly network?: Network;
}

/** Whether there is a network at all. */
export interface Network {
  readonly online: boolean;
  /** Answers how to stop listening. */
  onChange(listener: () => void): () => void;
}

export type LogState = 'connecting' | 'live' | 'reconnecting' | 'ended' | 'failed' | 'offline';

export type LogUpdate =
  | { readonly kind: 'lines'; readonly lines: readonly LogLineBody[] }
  | { readonly kind: 'event'; readonly event: LogEventBody }
  | {
      readonly kind: 'state';
      readonly state: LogState;
      /** Attempts to come back since the last line, of RECONNECT_ATTEMPTS_MAX. */
      readonly attempt: number;
      /** While it waits: how long. */
      readonly delayMs: number | null;
      readonly message: string | null;
    };

/** How one connection ended. */
export type ConnectionOutcome =
  | { readonly kind: 'ended' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'cut'; readonly message: string; readonly retryAfterMs: number | null };

/** What is known over all connections. */
export interface FollowProgress {
  readonly places: SourcePositions;
  readonly trails: PodHistories;
  /** A line or a heartbeat came on this connection. */
  progressed: boolean;
  /** The server's clock less ours. */
  skewMs: number;
}

export function state(
  name: LogState,
  attempt: number,
  message: string | null = null,
): LogUpdate & { kind: 'state' } {
  return { kind: 'state', state: name, attempt, delayMs: null, message };
}
