/**
 * Timestamps of log lines, with nanoseconds. A LogTime is RFC 3339 in UTC with nine fractional digits: all
 * have the same length, so they compare as strings.
 */
import type { Instant } from './time.ts';

/** `2026-11-15T03:00:00.123456789Z`. */
export type LogTime = string;

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

/** Null if the text is not a timestamp. Writers may omit trailing zeros and use a time zone offset. */
export function readLogTime(text: string): LogTime | null {
  if (text.length === 30 && CANONICAL.test(text)) return text;
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, base = '', fraction = '', zone = ''] = match;
  const nanos = fraction.padEnd(9, '0');
  if (zone === 'Z') return `${base}.${nanos}Z`;
  const instant = Date.parse(`${base}${zone}`);
  return Number.isNaN(instant) ? null : `${new Date(instant).toISOString().slice(0, 19)}.${nanos}Z`;
}

export function logTimeOf(instant: Instant): LogTime {
  return `${new Date(instant).toISOString().slice(0, 23)}000000Z`;
}

let secondCached = { text: '', second: 0 };

/** The second that contains it, since the Unix epoch. */
export function secondOf(time: LogTime): number {
  const text = time.slice(0, 19);
  if (text !== secondCached.text) secondCached = { text, second: Date.parse(`${text}Z`) / 1000 };
  return secondCached.second;
}

/** The start of a second as a LogTime. */
export function startOfSecond(second: number): LogTime {
  return logTimeOf(second * 1000);
}
