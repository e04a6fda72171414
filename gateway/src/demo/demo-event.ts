/** Something that happened in the demo's past, besides calls. */
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { kstDayStart } from './demo-clock.ts';
import type { DemoScene } from './demo-scene.ts';

export interface DemoEvent {
  readonly at: Instant;
  /** True: after the calls of the same part of the day, not before them. */
  readonly afterCalls?: boolean;
  write(scene: DemoScene): Promise<unknown>;
}

/** Days in the demo's past. */
export const PAST_DAYS = 61;

/** When the past of a demo begins that is started at this time for the first time. */
export function pastStart(until: Instant): Instant {
  return new DemoPast(until).at(PAST_DAYS - 1, 0);
}

/** The time when the demo was started for the first time: its past is counted back from it. */
export class DemoPast {
  readonly until: Instant;

  constructor(until: Instant) {
    this.until = until;
  }

  /** `hour` o'clock (KST) of a day; 9.5 is half past nine. */
  at(daysAgo: number, hour: number): Instant {
    return kstDayStart(this.until) - daysAgo * DAY_MS + Math.round(hour * HOUR_MS);
  }

  minutesAgo(minutes: number): Instant {
    return this.until - minutes * 60_000;
  }
}
