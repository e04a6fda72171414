/** A request for the logs of a project, after its query was parsed. */
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

export function includesSource({ podName, container }: LogRequest, source: LogSource): boolean {
  return (
    (podName === null || source.pod === podName) && (container === null || source.container === container)
  );
}
