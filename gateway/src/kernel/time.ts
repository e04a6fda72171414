/**
 * Time is passed in. Code that needs the current time, a delay or a duration takes a Clock, so that tests can control
 * it. Only this file, the composition root and the console use the real clock.
 */
import { DAY_MS, HOUR_MS } from './durations.ts';

/** Milliseconds since the Unix epoch. */
export type Instant = number;

export interface Clock {
  now(): Instant;
  /** Monotonic milliseconds from an arbitrary start, for durations. */
  elapsedMs(): number;
  /** Runs `work` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, work: () => void): () => void;
  /** Runs `work` repeatedly until cancelled; does not keep the process alive. */
  every(periodMs: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, work) {
    const timer = setInterval(work, periodMs);
    (timer as { unref?: () => void }).unref?.();
    return () => clearInterval(timer);
  },
};

/** Waits, or resolves early when the signal is aborted. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done);
  });
}

let secondCached = { second: Number.NaN, text: '' };

/** `2026-11-15T03:00:00.123Z`. Every call writes two of these, usually in the same second, so the second is cached. */
export function isoOf(instant: Instant): string {
  const second = Math.floor(instant / 1000);
  if (second !== secondCached.second) {
    secondCached = { second, text: new Date(second * 1000).toISOString().slice(0, -4) };
  }
  return `${secondCached.text}${String(instant - second * 1000).padStart(3, '0')}Z`;
}

/** The same moment in KST, to the second: `2026-11-15T12:00:00+09:00`. */
export function kstOf(instant: Instant): string {
  return `${new Date(instant + KST_OFFSET_MS).toISOString().slice(0, -5)}+09:00`;
}

/** With milliseconds: `2026-11-15T12:00:00.123+09:00`. */
export function kstMsOf(instant: Instant): string {
  return `${new Date(instant + KST_OFFSET_MS).toISOString().slice(0, -1)}+09:00`;
}

export function unixSecondsOf(instant: Instant): number {
  return Math.floor(instant / 1000);
}

/** A calendar month (KST), `YYYY-MM`: the period in which usage is counted and limited. */
export type Month = string;

const KST_OFFSET_MS = 9 * HOUR_MS;
const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

let monthCached: { from: Instant; until: Instant; month: Month } = { from: 0, until: 0, month: '' };

/** The month of an instant. KST has no daylight saving time, so the offset is fixed. */
export function monthOf(instant: Instant): Month {
  if (instant >= monthCached.from && instant < monthCached.until) return monthCached.month;
  const korean = new Date(instant + KST_OFFSET_MS);
  const month = printMonth(korean.getUTCFullYear(), korean.getUTCMonth());
  monthCached = { from: monthStart(month), until: monthStart(nextMonth(month)), month };
  return month;
}

let dayCached: { from: Instant; until: Instant; day: string } = { from: 0, until: 0, day: '' };

/** The calendar day of an instant (KST), `YYYY-MM-DD`. */
export function dayOf(instant: Instant): string {
  if (instant >= dayCached.from && instant < dayCached.until) return dayCached.day;
  const day = kstOf(instant).slice(0, 10);
  const from = dayStart(day);
  dayCached = { from, until: from + DAY_MS, day };
  return day;
}

export function dayStart(day: string): Instant {
  return Date.parse(`${day}T00:00:00Z`) - KST_OFFSET_MS;
}

export function monthStart(month: Month): Instant {
  const { year, index } = readMonth(month);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, index, 1) - KST_OFFSET_MS;
}

/** The start of a month as the platform API prints it: `2026-11-01T00:00:00+09:00`. */
export function printMonthStart(month: Month): string {
  readMonth(month);
  return `${month}-01T00:00:00+09:00`;
}

/** The end of a month, which is the start of the next. A date-time has no year 10000, so the last month is written in UTC. */
export function printMonthEnd(month: Month): string {
  return month === '9999-12' ? '9999-12-31T15:00:00+00:00' : printMonthStart(nextMonth(month));
}

export function previousMonth(month: Month): Month {
  return monthOf(monthStart(month) - 1);
}

export function nextMonth(month: Month): Month {
  const { year, index } = readMonth(month);
  return index === 11 ? printMonth(year + 1, 0) : printMonth(year, index + 1);
}

function readMonth(month: Month): { year: number; index: number } {
  const match = MONTH.exec(month);
  if (match === null) throw new RangeError(`not a month (YYYY-MM): ${JSON.stringify(month)}`);
  return { year: Number(match[1]), index: Number(match[2]) - 1 };
}

function printMonth(year: number, index: number): Month {
  return `${String(year).padStart(4, '0')}-${String(index + 1).padStart(2, '0')}`;
}
