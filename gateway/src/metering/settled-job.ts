/** What is reported when the settlement of a batch or a video ends. */
import type { Units } from '../kernel/units.ts';
import type { SpaceClass } from '../telemetry/call-meter.ts';

export interface SettledJob {
  readonly kind: 'batch' | 'video';
  readonly spaceClass: SpaceClass;
  readonly model: string;
  /**
   * `settled`: charged. `quarantined`: on hold, because the amount of a batch is unknown. `unpriced`: a video without a
   * known price. `free`: a video that was not delivered.
   */
  readonly result: 'settled' | 'quarantined' | 'unpriced' | 'free';
  /** Zero unless it is settled. */
  readonly units: Units;
  /** Whether an alert was raised. */
  readonly alerted?: boolean;
}

export type OnSettled = (job: SettledJob) => void;
