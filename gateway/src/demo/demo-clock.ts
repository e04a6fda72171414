/** The clock of the demo's past: it shows the time of the event that is being written. */
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import { type Clock, type Instant, systemClock } from '../kernel/time.ts';

export class DemoClock implements Clock {
  #at: Instant;
  readonly elapsedMs = systemClock.elapsedMs;
  readonly after = systemClock.after;
  readonly every = systemClock.every;

  constructor(at: Instant) {
    this.#at = at;
  }

  now(): Instant {
    return this.#at;
  }

  moveTo(at: Instant): void {
    this.#at = at;
  }

  forward(byMs: number): void {
    this.#at += byMs;
  }
}

const KST_MS = 9 * HOUR_MS;

/** The start of the calendar day (KST) of an instant. */
export function kstDayStart(instant: Instant): Instant {
  return Math.floor((instant + KST_MS) / DAY_MS) * DAY_MS - KST_MS;
}

/** 0 is Sunday. */
export function kstWeekday(instant: Instant): number {
  return new Date(instant + KST_MS).getUTCDay();
}
