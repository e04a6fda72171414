/**
 * Times of log lines, to the nanosecond. A LogTime is RFC 3339 in UTC with nine digits, always of the
 * same length, so two of them are compared as text.
 */
import type { Instant } from './time.ts';

/** `2026-11-15T03:00:00.123456789Z`. */
export type LogTime = string;

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/;
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

/** Null where the text is no time. Writers leave out trailing zeros and may use an offset. */
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

/** The whole second it falls in, since the Unix epoch. */
export function secondOf(time: LogTime): number {
  const text = time.slice(0, 19);
  if (text !== secondCached.text) secondCached = { text, second: Date.parse(`${text}Z`) / 1000 };
  return secondCached.second;
}

/** The start of a second as a LogTime. */
export function startOfSecond(second: number): LogTime {
  return logTimeOf(second * 1000);
}
