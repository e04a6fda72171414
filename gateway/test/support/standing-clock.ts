/** A clock that stands still where a test sets it; what waits, waits in real time. */
import { type Clock, type Instant, systemClock } from '../../src/kernel/time.ts';

export interface StandingClock extends Clock {
  set(at: Instant): void;
}

export function standingClock(): StandingClock {
  let time = systemClock.now();
  return {
    ...systemClock,
    now: () => time,
    set(at) {
      time = at;
    },
  };
}
