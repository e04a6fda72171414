/** How long each step of stopping may take. */
import type { Clock } from '../kernel/time.ts';

/** Time after the drain: calls that were cut are settled, and everything is made durable and closed. */
export const CLOSE_MS_MAX = 5_000;
/** The part of it that is left for the rest when the records of calls are flushed. */
const CLOSE_MS_REST = 500;
/**
 * `after notice`: load balancers have time to notice, and to close idle connections themselves. `replaced`: another
 * process answers on the same port, so nobody needs to notice; idle connections are left to the other side as well.
 */
export type StopWay = 'now' | 'after notice' | 'replaced';

export interface StopPlan {
  /** When requests under way are cut, on the monotonic scale of the clock. */
  readonly untilMs: number;
  /** How long connections are still accepted. */
  readonly noticeMs: number;
  /** How long an idle connection is left open. */
  readonly quietMs: number;
}

/** How long the last spans may take. */
const TRACES_MS_MAX = 2_000;

export function tracesMs(plan: StopPlan, clock: Clock): number {
  return Math.min(flushMs(plan, clock), TRACES_MS_MAX);
}

/** How long the recorder may flush: the rest of the drain time and a little more. */
export function flushMs({ untilMs }: StopPlan, clock: Clock): number {
  const leftMs = untilMs + CLOSE_MS_MAX - CLOSE_MS_REST - clock.elapsedMs();
  return Math.min(CLOSE_MS_MAX, Math.max(leftMs, CLOSE_MS_REST));
}
