/** When a delivery that failed is tried again. Pure. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/durations.ts';

/** After each attempt but the last; about a day in all. */
const WAITS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];
export const ATTEMPTS_MAX = WAITS_MS.length + 1;

/** Null after the last attempt. */
export function waitAfter(attempts: number): number | null {
  return WAITS_MS[attempts - 1] ?? null;
}
