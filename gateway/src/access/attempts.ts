/** Slows down guessing: counts attempts to sign in by e-mail address and by network address, across processes. */
import type { Database } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { AttemptLimits } from './attempt-rules.ts';
import type { SessionHeaders } from './session-request.ts';
import { type AttemptSubjects, claimAttempt, takeBackAttempt } from './sign-in-attempts.store.ts';

const EMAIL_LIMITS: AttemptLimits = { perMinute: 5, perHour: 20 };
/** An office may share one address. */
const ADDRESS_LIMITS: AttemptLimits = { perMinute: 20, perHour: 200 };

/** Where a sign-in comes from. */
export interface Visitor {
  readonly headers: SessionHeaders;
  readonly address: string;
}

/** Counts something that is limited however it ends. */
export async function claimedAttempt(
  { db, clock }: { db: Database; clock: Clock },
  subjects: AttemptSubjects,
): Promise<void> {
  const waitMs = await claimAttempt(db, subjects, clock.now());
  if (waitMs <= 0) return;
  throw new Problem('rate_limit_exceeded', {
    detail: `Too many failed attempts to sign in. Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
    retryAfterMs: waitMs,
  });
}

/** Counts the attempt first, and takes it back unless `work` answers null, which means a wrong secret. */
export async function countedAttempt<T>(
  { db, clock }: { db: Database; clock: Clock },
  subjects: AttemptSubjects,
  work: () => Promise<T | null>,
): Promise<T | null> {
  await claimedAttempt({ db, clock }, subjects);
  let counts = false;
  try {
    const done = await work();
    counts = done === null;
    return done;
  } finally {
    // If this fails, the person has one attempt less for a while. That must not replace the result of the work.
    if (!counts) await takeBackAttempt(db, subjects).catch(() => undefined);
  }
}

/** `email`: null if the attempt names none. */
export function attemptSubjects(email: string | null, { address }: Visitor): AttemptSubjects {
  const subjects = new Map([[`address:${address}`, ADDRESS_LIMITS]]);
  if (email !== null) subjects.set(`email:${sha256(email.toLowerCase())}`, EMAIL_LIMITS);
  return subjects;
}
