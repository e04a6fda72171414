/**
 * Slows down guessing, across processes. A stranger who guesses makes nobody else wait: attempts are counted by network
 * address, by account from that address, and, much higher, by account from everywhere. A browser that is known to the
 * account has a count of its own.
 */
import type { Database } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { AttemptLimits } from './attempt-rules.ts';
import type { SessionHeaders } from './session-request.ts';
import { type AttemptSubjects, claimAttempt, takeBackAttempt } from './sign-in-attempts.store.ts';

/** One account from one place. */
const PAIR_LIMITS: AttemptLimits = { perMinute: 5, perHour: 20 };
/** An office may share one address. */
const ADDRESS_LIMITS: AttemptLimits = { perMinute: 20, perHour: 200 };
/** From all addresses together: someone who has many of them guesses no faster. */
const ACCOUNT_LIMITS: AttemptLimits = { perMinute: 30, perHour: 100 };

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

/** An attempt with a secret that names no account: a link, an invitation, an answer of an issuer. */
export function secretSubjects({ address }: Visitor): AttemptSubjects {
  return new Map([[`address:${address}`, ADDRESS_LIMITS]]);
}

/**
 * An attempt with a password. `browser`: its id if it is known to the account. Then only its own failures count, because
 * strangers may share its address.
 */
export function passwordSubjects(
  { email, browser }: { email: string; browser: string | null },
  visitor: Visitor,
): AttemptSubjects {
  const account = accountOf(email);
  if (browser !== null) return new Map([[`browser:${account}:${browser}`, PAIR_LIMITS]]);
  return new Map([
    ...secretSubjects(visitor),
    [`pair:${account}:${visitor.address}`, PAIR_LIMITS],
    [`account:${account}`, ACCOUNT_LIMITS],
  ]);
}

/** An attempt to name the current password, by someone who has a session of the account. */
export function ownSubjects(email: string): AttemptSubjects {
  return new Map([[`own:${accountOf(email)}`, PAIR_LIMITS]]);
}

/** A digest, because people type passwords into the wrong field. */
function accountOf(email: string): string {
  return sha256(email.toLowerCase());
}
