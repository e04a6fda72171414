/** The windows in which something is counted: days, weeks from Monday and months (KST), or all time. Pure. */
import { DAY_MS } from './durations.ts';
import { dayOf, dayStart, type Instant, kstOf, monthOf, monthStart, nextMonth } from './time.ts';

export const periods = ['day', 'week', 'month', 'lifetime'] as const;
export type Period = (typeof periods)[number];

/** Names a window: a month as `2026-11`, a day or a week by its first day as `2026-11-16`, all time as nothing. */
export type WindowName = string;

export function windowOf(period: Period, at: Instant): WindowName {
  switch (period) {
    case 'day':
      return dayOf(at);
    case 'week':
      return dayOf(at - daysSinceMonday(at) * DAY_MS);
    case 'month':
      return monthOf(at);
    case 'lifetime':
      return '';
  }
}

/** Null: it never begins or ends. */
export interface WindowBounds {
  readonly from: Instant | null;
  readonly until: Instant | null;
}

export function boundsOf(period: Period, name: WindowName): WindowBounds {
  switch (period) {
    case 'day':
      return { from: dayStart(name), until: dayStart(name) + DAY_MS };
    case 'week':
      return { from: dayStart(name), until: dayStart(name) + 7 * DAY_MS };
    case 'month':
      return { from: monthStart(name), until: monthStart(nextMonth(name)) };
    case 'lifetime':
      return { from: null, until: null };
  }
}

/** When what is counted starts again, as the platform API prints it; null: never. */
export function printWindowEnd(period: Period, name: WindowName): string | null {
  const { until } = boundsOf(period, name);
  return until === null ? null : kstOf(until);
}

function daysSinceMonday(at: Instant): number {
  // The epoch was a Thursday.
  return (Math.floor(dayStart(dayOf(at)) / DAY_MS + 0.5) + 3) % 7;
}
