/**
 * How much was used in the last minute, from two numbers: the count of this calendar minute, and that of
 * the one before weighted by what is left of it. So a minute that begins does not forget the one before,
 * and nobody gets twice the cap around its edge.
 *
 * What it bounds: at most the cap in a calendar minute, and at most cap × (1 + s / 60) in any s seconds
 * of up to a minute (and half a call, for rounding). A burst of calls is thus never above the cap.
 */
import { MINUTE_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';

/** Counts of a minute, numbered from 1970, and of the one before it. */
export interface RateWindow {
  readonly minute: number;
  readonly previous: number;
  readonly current: number;
}

export const EMPTY_WINDOW: RateWindow = { minute: 0, previous: 0, current: 0 };

/** What of the window counts at this moment. A cap is reached when this is not below it. */
export function usedIn(window: RateWindow, now: Instant): number {
  const { minute, previous, current } = windowAt(window, now);
  return current + weighted(previous, now - minute * MINUTE_MS);
}

/** The window as of now. A clock that went back finds it as it was. */
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

/** How much was counted in one minute, as far as the window reaches. */
export function countOf(window: RateWindow, minute: number): number {
  if (minute === window.minute) return window.current;
  return minute === window.minute - 1 ? window.previous : 0;
}

/** Two windows as one, as of now. */
export function sumOf(one: RateWindow, other: RateWindow, now: Instant): RateWindow {
  const minute = Math.max(minuteOf(now), one.minute, other.minute);
  return {
    minute,
    previous: countOf(one, minute - 1) + countOf(other, minute - 1),
    current: countOf(one, minute) + countOf(other, minute),
  };
}

/** The first moment from now on at which less than the cap is used, if nothing else comes. */
export function freeAt(window: RateWindow, cap: number, now: Instant): Instant {
  const at = windowAt(window, now);
  if (usedIn(at, now) < cap) return now;
  // The rest of this minute if its own count leaves room, else the next, which has only this one before it.
  return at.current < cap
    ? at.minute * MINUTE_MS + roomAfter(at.previous, cap - at.current)
    : (at.minute + 1) * MINUTE_MS + roomAfter(at.current, cap);
}

export function minuteOf(now: Instant): number {
  return Math.floor(now / MINUTE_MS);
}

/**
 * Rounded to the nearest: rounding up would cost a call in every minute (with a cap of one: every
 * second call), rounding down would allow one more around the edge.
 */
function weighted(previous: number, elapsedMs: number): number {
  const left = MINUTE_MS - Math.min(Math.max(elapsedMs, 0), MINUTE_MS);
  return Math.floor((previous * left) / MINUTE_MS + 0.5);
}

/** Milliseconds into a minute after which `previous` weighs less than `room`. */
function roomAfter(previous: number, room: number): number {
  const leftBelow = ((room - 0.5) * MINUTE_MS) / previous;
  return Math.max(Math.floor(MINUTE_MS - leftBelow) + 1, 0);
}
