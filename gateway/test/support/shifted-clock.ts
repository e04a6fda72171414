/** The real clock, moved by as much as a test wants; what waits, waits in real time. */
import { type Clock, systemClock } from '../../src/kernel/time.ts';

export interface ShiftedClock extends Clock {
  shift(byMs: number): void;
}

export function shiftedClock(): ShiftedClock {
  let shiftedMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + shiftedMs,
    shift(byMs) {
      shiftedMs += byMs;
    },
  };
}
