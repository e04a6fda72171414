/** A request for the logs of a project, after its query was parsed, and what it wants of the past. */
import type { Instant } from '../kernel/time.ts';
import { FIRST_POSITION, timePosition } from './line-position.ts';
import type { LogSource } from './source.ts';

export interface LogRequest {
  readonly project: string;
  readonly follow: boolean;
  /** Past lines to start with, across all pods; null: all. */
  readonly tailLines: number | null;
  readonly sinceSeconds: number | null;
  readonly podName: string | null;
  readonly container: string | null;
  /** Adds an id to each line, and events for pods, gaps and having caught up. */
  readonly ids: boolean;
  readonly heartbeatSeconds: number | null;
  /** By source, the position to resume after. */
  readonly after: ReadonlyMap<string, string> | null;
}

/** The past that a request starts with: the last lines of all sources together, or each source from a position. */
export interface WantedPast {
  readonly lastLines: number | null;
  /** Older lines are left out; null: none are. */
  readonly since: Instant | null;
  readonly positionOf: (source: string) => string;
}

export function wantedPast(request: LogRequest, now: Instant): WantedPast {
  const since = request.sinceSeconds === null ? null : now - request.sinceSeconds * 1000;
  const first = since === null ? FIRST_POSITION : timePosition(since);
  return {
    lastLines: request.tailLines,
    since,
    positionOf: (source) => request.after?.get(source) ?? first,
  };
}

export function includesSource({ podName, container }: LogRequest, source: LogSource): boolean {
  return (
    (podName === null || source.pod === podName) && (container === null || source.container === container)
  );
}
