/** Opens a session for a person who has proved who they are. */
import type { Transaction } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { DAY_MS, HOUR_MS } from '../kernel/durations.ts';
import type { Instant } from '../kernel/time.ts';
import { digestOfSecret, newSecret } from './key-secret.ts';
import type { Person } from './person.ts';
import { deleteSession, findSession, insertSession, sweepSessions } from './sessions.store.ts';
import { issuerOf, type SessionOrigin } from './sign-in-ways.ts';

export const SESSION_IDLE_MS = 7 * DAY_MS;
const SESSION_MS = 30 * DAY_MS;
/** Short, because someone who leaves is only removed at the issuer, and groups are read when a session begins. */
const ISSUER_SESSION_MS = 12 * HOUR_MS;
const USER_AGENT_CHARACTERS_MAX = 200;
const SESSIONS_PER_PERSON_MAX = 50;

export interface SignedIn {
  readonly person: Person;
  readonly csrf: string;
  readonly expiresAt: Instant;
  /** The key of the session's row. */
  readonly digest: string;
  readonly openedBy: SessionOrigin;
}

export type NewSession = SignedIn & { readonly token: string };

/** Null if the person has no access to anything. */
export async function openSession(
  tx: Transaction,
  of: {
    personId: string;
    openedBy: SessionOrigin;
    userAgent: string | undefined;
    now: Instant;
    /** It ends then at the latest; left out: at its usual time. */
    expiresBy?: Instant;
  },
): Promise<NewSession | null> {
  const { personId, openedBy, now, expiresBy = Number.POSITIVE_INFINITY } = of;
  const token = newSecret('ts');
  const digest = digestOfSecret(token);
  const usualMs = issuerOf(openedBy) === null ? SESSION_MS : ISSUER_SESSION_MS;
  const expiresAt = Math.min(now + usualMs, expiresBy);
  const userAgent = (of.userAgent ?? '').slice(0, USER_AGENT_CHARACTERS_MAX);
  const seenAfter = now - SESSION_IDLE_MS;
  await sweepSessions(tx, { now, seenAfter });
  const record = { digest, personId, openedBy, userAgent, createdAt: now, expiresAt };
  await insertSession(tx, record, SESSIONS_PER_PERSON_MAX);
  const found = await findSession(tx, digest, { now, seenAfter });
  if (found !== null)
    return { person: found.person, csrf: csrfOf(token), expiresAt, digest, openedBy, token };
  await deleteSession(tx, digest);
  return null;
}

/** Derived from the token, so that it needs no storage; the token cannot be derived from it. */
export function csrfOf(token: string): string {
  return sha256(`csrf ${token}`);
}
