/** When a job is polled next. Pure apart from the clock. */
import type { Clock, Instant } from '../kernel/time.ts';
import type { CommittedState } from './provider-job.ts';

const POLL_MS_MIN = 1_000;
/** The wait is the job's age divided by this. */
const AGE_DIVISOR = 10;

/** Backs off with the age of the job, up to `pollMs`, and never waits past its expiry. */
export function nextPoll(
  { pollingSince, expiresAt }: Pick<CommittedState, 'pollingSince' | 'expiresAt'>,
  { clock, pollMs }: { readonly clock: Pick<Clock, 'now'>; readonly pollMs: number },
): Instant {
  const now = clock.now();
  const ageMs = now - (pollingSince ?? now);
  const next = now + Math.min(Math.max(ageMs / AGE_DIVISOR, POLL_MS_MIN), pollMs);
  return Math.round(expiresAt > now ? Math.min(next, expiresAt) : next);
}
