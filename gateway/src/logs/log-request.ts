/** What is asked of the logs of a project, after its query was read. */
import { type LogTime, logTimeOf } from '../kernel/log-time.ts';
import type { Instant } from '../kernel/time.ts';
import type { LogSource, ReadFrom } from './source.ts';

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

/**
 * Besides the places a store writes there are two that need none: before the first line of a source, and
 * at a time. They tell a client where a source begins of which it has had no line yet.
 */
export const FIRST_PLACE = '0';
const TIME_PLACE = /^t(\d{1,15})$/;

export function timePlace(instant: Instant): string {
  return `t${Math.round(instant)}`;
}

export function isOwnPlace(position: string): boolean {
  return position === FIRST_PLACE || TIME_PLACE.test(position);
}

export function readFromPlace(position: string): ReadFrom {
  if (position === FIRST_PLACE) return { kind: 'start' };
  const instant = TIME_PLACE.exec(position)?.[1];
  return instant === undefined
    ? { kind: 'after', position }
    : { kind: 'since', time: timeOf(Number(instant)) };
}

/** A client may send any number. */
function timeOf(instant: number): LogTime {
  return logTimeOf(Math.min(instant, Date.UTC(9999, 0)));
}
