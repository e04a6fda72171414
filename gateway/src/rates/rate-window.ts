/**
 * A sliding window over one minute, from two counters: the count of this calendar minute, plus the count of the
 * previous minute weighted by the part of it that is still inside the window. So a caller cannot use the limit
 * twice around the start of a minute.
 *
 * Bounds: at most the cap in a calendar minute, and at most cap × (1 + s / 60) in any s seconds up to a minute
 * (plus half a call, for rounding). A burst is never larger than the cap.
 */
import { MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

/** The counts of a minute (minutes since 1970) and of the previous one. */
export interface RateWindow {
  readonly minute: number;
  readonly previous: number;
  readonly current: number;
}

export const EMPTY_WINDOW: RateWindow = { minute: 0, previous: 0, current: 0 };

/** The weighted count at this moment. A cap is reached when the count is equal or higher. */
export function usedIn(window: RateWindow, now: Instant): number {
  const { minute, previous, current } = windowAt(window, now);
  return current + weighted(previous, now - minute * MINUTE_MS);
}

/** Moves the window to now. When the clock went back, the window stays as it is. */
export function windowAt(window: RateWindow, now: Instant): RateWindow {
  const minute = minuteOf(now);
  if (minute <= window.minute) return window;
  const previous = minute === window.minute + 1 ? window.current : 0;
  return { minute, previous, current: 0 };
}

export function addTo(window: RateWindow, count: number, now: Instant): RateWindow {
  const { minute, previous, current } = windowAt(window, now);
  return { minute, previous, current: current + count };
}

/** The count of one minute; zero outside the window. */
export function countOf(window: RateWindow, minute: number): number {
  if (minute === window.minute) return window.current;
  return minute === window.minute - 1 ? window.previous : 0;
}

/** The sum of two windows, moved to now. */
export function sumOf(one: RateWindow, other: RateWindow, now: Instant): RateWindow {
  const minute = Math.max(minuteOf(now), one.minute, other.minute);
  return {
    minute,
    previous: countOf(one, minute - 1) + countOf(other, minute - 1),
    current: countOf(one, minute) + countOf(other, minute),
  };
}

/** The first moment at which the count is below the cap, if nothing else is counted. */
export function freeAt(window: RateWindow, cap: number, now: Instant): Instant {
  const at = windowAt(window, now);
  if (usedIn(at, now) < cap) return now;
  // In this minute if its own count leaves room, otherwise in the next one, where this minute is the previous.
  return at.current < cap
    ? at.minute * MINUTE_MS + roomAfter(at.previous, cap - at.current)
    : (at.minute + 1) * MINUTE_MS + roomAfter(at.current, cap);
}

export function minuteOf(now: Instant): number {
  return Math.floor(now / MINUTE_MS);
}

/**
 * Rounded to the nearest integer: rounding up would lose one call per minute (with a cap of one: every second
 * call), rounding down would allow one call too many at the start of a minute.
 */
function weighted(previous: number, elapsedMs: number): number {
  const left = MINUTE_MS - Math.min(Math.max(elapsedMs, 0), MINUTE_MS);
  return Math.floor((previous * left) / MINUTE_MS + 0.5);
}

/** Milliseconds into a minute after which the weighted `previous` is below `room`. */
function roomAfter(previous: number, room: number): number {
  const leftBelow = ((room - 0.5) * MINUTE_MS) / previous;
  return Math.max(Math.floor(MINUTE_MS - leftBelow) + 1, 0);
}
