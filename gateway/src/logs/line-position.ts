/** Positions in sources, and the ids of lines made from them. Pure. */
import { type LogTime, logTimeOf } from '../kernel/log-time.ts';
import type { Instant } from '../kernel/time.ts';
import type { ReadFrom } from './source.ts';

/** The id of a line is its source and the position after it. */
export function printLineId(source: string, position: string): string {
  return `${source}@${position}`;
}

/** Null if the text is not an id. */
export function readLineId(id: string): { source: string; position: string } | null {
  const match = /^([A-Za-z0-9-]{1,64}\/[a-z0-9-]{1,63}\/\d{1,9})@([0-9a-z.~-]{1,160})$/.exec(id);
  return match === null ? null : { source: match[1] as string, position: match[2] as string };
}

/**
 * Most positions are written by a store. Two are the same in every store: before the first line of a
 * source, and at a time. They tell a client where a source starts before it has received a line of it.
 */
export const FIRST_POSITION = '0';
const TIME_POSITION = /^t(\d{1,15})$/;

export function timePosition(instant: Instant): string {
  return `t${Math.round(instant)}`;
}

export function isUniversalPosition(position: string): boolean {
  return position === FIRST_POSITION || TIME_POSITION.test(position);
}

export function readFromPosition(position: string): ReadFrom {
  if (position === FIRST_POSITION) return { kind: 'start' };
  const instant = TIME_POSITION.exec(position)?.[1];
  return instant === undefined
    ? { kind: 'after', position }
    : { kind: 'since', time: timeOf(Number(instant)) };
}

/** A client may send any number, and later years have no LogTime. */
function timeOf(instant: number): LogTime {
  return logTimeOf(Math.min(instant, Date.UTC(9999, 0)));
}
