/** How often signing in may fail before the next attempt has to wait. Pure. */
import { HOUR_MS, MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

export interface AttemptLimits {
  readonly perMinute: number;
  readonly perHour: number;
}

/** Attempts in the current minute and the current hour; each window starts with its first attempt. */
export interface Tally {
  readonly minuteFrom: Instant;
  readonly minuteCount: number;
  readonly hourFrom: Instant;
  readonly hourCount: number;
}

/** The tally with one more attempt, or how long to wait until one is allowed. A rejected attempt is not counted. */
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
 * A window that is over starts again. One that starts slightly in the future is not over: a caller reads the time
 * before it waits for the row, and clocks differ. One far in the future was written before a clock was set back.
 */
function renewed(window: Window, lengthMs: number, now: Instant): Window {
  const over = window.count === 0 || window.from + lengthMs <= now || window.from - lengthMs > now;
  return over ? { from: now, count: 0 } : window;
}
