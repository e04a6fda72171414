/** Timestamps of lines in the zone that the person chose. Pure. */
import { MINUTE_MS } from '../../../../../gateway/src/kernel/durations.ts';

export const timeModes = ['kst', 'utc', 'local', 'off'] as const;
export type TimeMode = (typeof timeModes)[number];

const KST_MINUTES = 9 * 60;

/** `11-15 12:00:00.123`; the text itself if it is not a timestamp. */
export function printLogTime(timeStamp: string, mode: TimeMode): string {
  return shifted(timeStamp, mode)?.slice(5, 23).replace('T', ' ') ?? timeStamp;
}

/** `2026-11-15 12:00:00.123456789 +09:00`, with all digits of the line. */
export function printFullLogTime(timeStamp: string, mode: TimeMode): string {
  const text = shifted(timeStamp, mode);
  if (text === null) return timeStamp;
  const digits = /\.(\d+)/.exec(timeStamp)?.[1] ?? '0';
  return `${text.slice(0, 19).replace('T', ' ')}.${digits} ${printOffset(offsetMinutes(Date.parse(timeStamp), mode))}`;
}

/** `2026-11-15 12:00:01 KST`, with the zone. */
export function printMoment(instant: number, mode: TimeMode): string {
  const zone = { kst: 'KST', off: 'KST', utc: 'UTC', local: printOffset(offsetMinutes(instant, 'local')) }[
    mode
  ];
  return `${fieldTime(instant, mode).replace('T', ' ')} ${zone}`;
}

/** The value of a field for date and time, in the zone of a mode. */
export function fieldTime(instant: number, mode: TimeMode): string {
  return new Date(instant + offsetMinutes(instant, mode) * MINUTE_MS).toISOString().slice(0, 19);
}

/** The instant of a value of such a field; null if it is empty. */
export function readFieldTime(value: string, mode: TimeMode): number | null {
  const instant = Date.parse(`${value.length === 16 ? `${value}:00` : value}Z`);
  if (Number.isNaN(instant)) return null;
  if (mode === 'local') return new Date(value).getTime();
  return instant - offsetMinutes(instant, mode) * MINUTE_MS;
}

function shifted(timeStamp: string, mode: TimeMode): string | null {
  const instant = Date.parse(timeStamp);
  if (Number.isNaN(instant)) return null;
  return new Date(instant + offsetMinutes(instant, mode) * MINUTE_MS).toISOString();
}

function offsetMinutes(instant: number, mode: TimeMode): number {
  if (mode === 'utc') return 0;
  return mode === 'local' ? -new Date(instant).getTimezoneOffset() : KST_MINUTES;
}

function printOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
