/** What is asked of the logs of a project, after its query was read. */
import type { LogSource } from './source.ts';

export interface LogRequest {
  readonly project: string;
  readonly follow: boolean;
  /** Lines of the past over all pods together; null: all. */
  readonly tailLines: number | null;
  readonly sinceSeconds: number | null;
  readonly podName: string | null;
  readonly container: string | null;
  /** Adds an id to each line, and lines that tell of pods, gaps and having caught up. */
  readonly ids: boolean;
  readonly heartbeatSeconds: number | null;
  /** By source, the line to go on after. */
  readonly after: ReadonlyMap<string, string> | null;
}

export function wants(request: LogRequest, source: LogSource): boolean {
  const { podName, container } = request;
  return (
    (podName === null || source.pod === podName) && (container === null || source.container === container)
  );
}

/** The id of a line is its source and the place after it. */
export function printLineId(source: string, position: string): string {
  return `${source}@${position}`;
}

/** Null where the text is no id. */
export function readLineId(id: string): { source: string; position: string } | null {
  const match = /^([A-Za-z0-9-]{1,64}\/[a-z0-9-]{1,63}\/\d{1,9})@([0-9a-z.~-]{1,160})$/.exec(id);
  return match === null ? null : { source: match[1] as string, position: match[2] as string };
}
