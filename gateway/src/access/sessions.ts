/**
 * Console sessions: signing in with a password or a one-time link, authenticating requests, signing out. A session
 * is a row; only its holder knows its token. The rights of the person are read with every request, so that a right
 * that is removed is gone at once.
 */

import type { Database, Queryable, Transaction } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { AttemptLimits } from './attempt-rules.ts';
import { changeOwnPassword, checkPasswordChange, type PasswordChange } from './change-password.ts';
import { digestOfSecret, newSecret, readPrefix } from './key-secret.ts';
import { passwordMatches } from './passwords.ts';
import { findPerson } from './people.store.ts';
import type { Person, SeenSpace } from './person.ts';
import { checkCsrf, checkSameSite, readSessionToken, type SessionHeaders } from './session-request.ts';
import {
  deleteSession,
  type FoundSession,
  findSession,
  insertSession,
  redeemLink,
  sweepSessions,
  touchSession,
} from './sessions.store.ts';
import { type AttemptSubjects, claimAttempt, takeBackAttempt } from './sign-in-attempts.store.ts';
import { listSpaces } from './spaces.store.ts';

const SESSION_MS = 30 * DAY_MS;
const SESSION_IDLE_MS = 7 * DAY_MS;
const SEEN_EVERY_MS = 60_000;
const USER_AGENT_CHARACTERS_MAX = 200;
const SESSIONS_PER_PERSON_MAX = 50;

const EMAIL_LIMITS: AttemptLimits = { perMinute: 5, perHour: 20 };
/** An office may share one address. */
const ADDRESS_LIMITS: AttemptLimits = { perMinute: 20, perHour: 200 };

/** Where a sign-in comes from. */
export interface Visitor {
  readonly headers: SessionHeaders;
  readonly address: string;
}

export interface SignedIn {
  readonly person: Person;
  readonly csrf: string;
  readonly expiresAt: Instant;
  /** The key of the session's row. */
  readonly digest: string;
}

/** With the secret itself, which is stored nowhere. */
export type NewSession = SignedIn & { readonly token: string };

export class Sessions {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #publicOrigin: string | null;

  /** `publicOrigin`: the origin of the console in browsers, if it differs from the Host header. */
  constructor(options: { db: Database; clock: Clock; publicOrigin: string | null }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#publicOrigin = options.publicOrigin;
  }

  /** Throws a 401 without a valid session, and a 403 for a write that another site made the browser send. */
  async authenticate(request: { method?: string | undefined; headers: SessionHeaders }): Promise<NewSession> {
    const { text, byCookie } = readSessionToken(request.headers);
    if (byCookie && request.method !== 'GET' && request.method !== 'HEAD') {
      checkSameSite(request.headers, this.#publicOrigin);
      checkCsrf(request.headers, csrfOf(text));
    }
    return await reached(async () => {
      const digest = digestOfSecret(text);
      const now = this.#clock.now();
      const found = await this.#find(this.#db, digest, now);
      if (now - found.lastSeenAt >= SEEN_EVERY_MS) await touchSession(this.#db, digest, now);
      return { person: found.person, csrf: csrfOf(text), expiresAt: found.expiresAt, digest, token: text };
    });
  }

  /** The person of a session with the rights they have now. Throws a 401 if the session has ended. */
  async personOf({ digest }: Pick<SignedIn, 'digest'>, db: Queryable): Promise<Person> {
    return (await this.#find(db, digest, this.#clock.now())).person;
  }

  /** Neither the answer nor its timing reveals whether the e-mail or the password was wrong. */
  async signIn(given: { email: string; password: string }, visitor: Visitor): Promise<NewSession> {
    checkSameSite(visitor.headers, this.#publicOrigin);
    const session = await this.#attempt(subjectsOf(given.email, visitor), async () => {
      const person = await findPerson(this.#db, given.email);
      const matches = await passwordMatches(given.password, person?.passwordHash ?? null);
      if (!matches || person === null) return null;
      return await this.#db.transaction((tx) => this.#open(tx, person.id, visitor));
    });
    if (session !== null) return session;
    throw new Problem('invalid_credentials', { detail: 'The e-mail or the password is wrong.' });
  }

  /** Signs in with the code of a one-time link. */
  async signInByLink(code: string, visitor: Visitor): Promise<NewSession> {
    checkSameSite(visitor.headers, this.#publicOrigin);
    const session = await this.#attempt(subjectsOf(null, visitor), async () => {
      if (readPrefix(code) !== 'sl') return null;
      return await this.#db.transaction(async (tx) => {
        const personId = await redeemLink(tx, digestOfSecret(code), this.#clock.now());
        return personId === null ? null : await this.#open(tx, personId, visitor);
      });
    });
    if (session !== null) return session;
    throw new Problem('invalid_credentials', {
      detail: 'The link is invalid, was already used or has expired. Ask for a new one.',
    });
  }

  /**
   * Changes the person's own password and ends their other sessions; returns how many. A wrong current password
   * counts as a failed attempt to sign in.
   */
  async changePassword(session: SignedIn, given: PasswordChange, visitor: Visitor): Promise<number> {
    const checked = await reached(() => checkPasswordChange(this.#db, session.person, given));
    const ended = await this.#attempt(subjectsOf(session.person.email, visitor), () =>
      changeOwnPassword({ db: this.#db, clock: this.#clock }, session, checked),
    );
    if (ended !== null) return ended;
    throw new Problem('invalid_parameter', {
      detail: 'current_password is not the password you sign in with.',
      param: 'current_password',
    });
  }

  async signOut(session: SignedIn): Promise<void> {
    await reached(() => deleteSession(this.#db, session.digest));
  }

  /** Every space the person can see, with their role in it. */
  async spacesOf(person: Person): Promise<SeenSpace[]> {
    if (!person.isOperator) return person.spaces.map(({ id, name, role }) => ({ id, name, role }));
    const spaces = await reached(() => listSpaces(this.#db));
    return spaces.map(({ id, name }) => ({ id, name, role: 'operator' }));
  }

  /** Counts the attempt first, and takes it back unless `work` answers null, which means a wrong secret. */
  async #attempt<T>(subjects: AttemptSubjects, work: () => Promise<T | null>): Promise<T | null> {
    return await reached(async () => {
      const waitMs = await claimAttempt(this.#db, subjects, this.#clock.now());
      if (waitMs > 0) {
        throw new Problem('rate_limit_exceeded', {
          detail: `Too many failed attempts to sign in. Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
          retryAfterMs: waitMs,
        });
      }
      let counts = false;
      try {
        const done = await work();
        counts = done === null;
        return done;
      } finally {
        if (!counts) await takeBackAttempt(this.#db, subjects).catch(() => undefined);
      }
    });
  }

  async #find(db: Queryable, digest: string, now: Instant): Promise<FoundSession> {
    const found = await findSession(db, digest, { now, seenAfter: now - SESSION_IDLE_MS });
    if (found !== null) return found;
    throw new Problem('invalid_credentials', {
      detail: 'The session is invalid or has expired. Sign in again.',
    });
  }

  /** Null if the person has lost all access. */
  async #open(tx: Transaction, personId: string, { headers }: Visitor): Promise<NewSession | null> {
    const token = newSecret('ts');
    const digest = digestOfSecret(token);
    const now = this.#clock.now();
    const expiresAt = now + SESSION_MS;
    const userAgent = (headers['user-agent'] ?? '').slice(0, USER_AGENT_CHARACTERS_MAX);
    const seenAfter = now - SESSION_IDLE_MS;
    await sweepSessions(tx, { now, seenAfter });
    await insertSession(
      tx,
      { digest, personId, userAgent, createdAt: now, expiresAt },
      SESSIONS_PER_PERSON_MAX,
    );
    const found = await findSession(tx, digest, { now, seenAfter });
    if (found !== null) return { person: found.person, csrf: csrfOf(token), expiresAt, digest, token };
    await deleteSession(tx, digest);
    return null;
  }
}

function subjectsOf(email: string | null, { address }: Visitor): AttemptSubjects {
  const subjects = new Map([[`address:${address}`, ADDRESS_LIMITS]]);
  if (email !== null) subjects.set(`email:${sha256(email.toLowerCase())}`, EMAIL_LIMITS);
  return subjects;
}

/** Derived from the token, so that it needs no storage; the token cannot be derived from it. */
function csrfOf(token: string): string {
  return sha256(`csrf ${token}`);
}

function reached<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(work, { detail: 'Sessions cannot be verified right now. Retry in a moment.' });
}
