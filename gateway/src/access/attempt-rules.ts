/** How often signing in may fail before it has to wait. Pure. */
import { HOUR_MS, MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

export interface AttemptLimits {
  readonly perMinute: number;
  readonly perHour: number;
}

/** Attempts since the first of a minute, and of an hour. */
export interface Tally {
  readonly minuteFrom: Instant;
  readonly minuteCount: number;
  readonly hourFrom: Instant;
  readonly hourCount: number;
}

/** The tally with one more attempt, or how long to wait before there may be one. A refusal counts for nothing. */
export function countAttempt(
  tally: Tally,
  limits: AttemptLimits,
  now: Instant,
): { tally: Tally } | { waitMs: number } {
  const minute = renewed({ from: tally.minuteFrom, count: tally.minuteCount }, MINUTE_MS, now);
  const hour = renewed({ from: tally.hourFrom, count: tally.hourCount }, HOUR_MS, now);
  const waitMs = Math.max(
    minute.count >= limits.perMinute ? minute.from + MINUTE_MS - now : 0,
    hour.count >= limits.perHour ? hour.from + HOUR_MS - now : 0,
  );
  if (waitMs > 0) return { waitMs };
  return {
    tally: {
      minuteFrom: minute.from,
      minuteCount: minute.count + 1,
      hourFrom: hour.from,
      hourCount: hour.count + 1,
    },
  };
}

interface Window {
  readonly from: Instant;
  readonly count: number;
}

/**
 * A window that is over begins anew. One that lies a little ahead is not over: whoever waited for the row
 * took the time before, and clocks differ. One that lies far ahead is from before a clock was set back.
 */
function renewed(window: Window, lengthMs: number, now: Instant): Window {
  const over = window.count === 0 || window.from + lengthMs <= now || window.from - lengthMs > now;
  return over ? { from: now, count: 0 } : window;
}
