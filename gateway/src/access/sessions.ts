/**
 * Console sessions: signing in with a password or a one-time link, who a request is from, signing out.
 * A session is a row; its token is known to its holder only. What a person may see is read with every
 * request, so whatever is taken from them is gone at once.
 */

import type { Database, Transaction } from '../database/database.ts';
import { sha256 } from '../kernel/digest.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { AttemptLimits } from './attempt-rules.ts';
import { changeOwnPassword, checkPasswordChange, type PasswordChange } from './change-password.ts';
import { digestOfKey, newSecretText, readKeyPrefix } from './key-secret.ts';
import { passwordMatches } from './passwords.ts';
import { findPerson } from './people.store.ts';
import type { Person, SeenSpace } from './person.ts';
import { checkCsrf, checkSameSite, readSessionToken, type SessionHeaders } from './session-request.ts';
import {
  deleteSession,
  findSession,
  insertSession,
  spendLink,
  sweepSessions,
  touchSession,
} from './sessions.store.ts';
import { type AttemptSubjects, claimAttempt, giveBackAttempt } from './sign-in-attempts.store.ts';
import { listSpaces } from './spaces.store.ts';

const SESSION_MS = 30 * DAY_MS;
const SESSION_IDLE_MS = 7 * DAY_MS;
const SEEN_EVERY_MS = 60_000;
const USER_AGENT_CHARACTERS_MAX = 200;
const SESSIONS_PER_PERSON_MAX = 50;

const EMAIL_LIMITS: AttemptLimits = { perMinute: 5, perHour: 20 };
/** An office may share one address. */
const ADDRESS_LIMITS: AttemptLimits = { perMinute: 20, perHour: 200 };

/** Somebody at the door. */
export interface Visitor {
  readonly headers: SessionHeaders;
  readonly address: string;
}

export interface SignedIn {
  readonly person: Person;
  readonly csrf: string;
  readonly expiresAt: Instant;
  /** Names the session's row. */
  readonly digest: string;
}

export type NewSession = SignedIn & { readonly token: string };

export class Sessions {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #publicOrigin: string | null;

  /** `publicOrigin`: where people's browsers find the console, when that is not the Host they send. */
  constructor(options: { db: Database; clock: Clock; publicOrigin: string | null }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#publicOrigin = options.publicOrigin;
  }

  /** Who sends this request; a 401 otherwise, and a 403 for a write that another site made them send. */
  async authenticate(request: { method?: string | undefined; headers: SessionHeaders }): Promise<SignedIn> {
    const { text, byCookie } = readSessionToken(request.headers);
    if (byCookie && request.method !== 'GET' && request.method !== 'HEAD') {
      checkSameSite(request.headers, this.#publicOrigin);
      checkCsrf(request.headers, csrfOf(text));
    }
    return await reached(async () => {
      const digest = digestOfKey(text);
      const now = this.#clock.now();
      const found = await findSession(this.#db, digest, { now, seenAfter: now - SESSION_IDLE_MS });
      if (found === null) {
        throw new Problem('invalid_credentials', {
          detail: 'The session has ended or is not known. Sign in again.',
        });
      }
      if (now - found.lastSeenAt >= SEEN_EVERY_MS) await touchSession(this.#db, digest, now);
      return { person: found.person, csrf: csrfOf(text), expiresAt: found.expiresAt, digest };
    });
  }

  /** Whether it is the e-mail or the password that is wrong cannot be told, also not by the time it takes. */
  async signIn(given: { email: string; password: string }, visitor: Visitor): Promise<NewSession> {
    checkSameSite(visitor.headers, this.#publicOrigin);
    const session = await this.#attempt(subjectsOf(given.email, visitor), async () => {
      const person = await findPerson(this.#db, given.email);
      const matches = await passwordMatches(given.password, person?.passwordHash ?? null);
      if (!matches || person === null) return null;
      return await this.#db.transaction((tx) => this.#open(tx, person.id, visitor));
    });
    if (session !== null) return session;
    throw new Problem('invalid_credentials', { detail: 'The e-mail or the password is not right.' });
  }

  /** The same with the code of a one-time link. */
  async signInByLink(code: string, visitor: Visitor): Promise<NewSession> {
    checkSameSite(visitor.headers, this.#publicOrigin);
    const session = await this.#attempt(subjectsOf(null, visitor), async () => {
      if (readKeyPrefix(code) !== 'sl') return null;
      return await this.#db.transaction(async (tx) => {
        const personId = await spendLink(tx, digestOfKey(code), this.#clock.now());
        return personId === null ? null : await this.#open(tx, personId, visitor);
      });
    });
    if (session !== null) return session;
    throw new Problem('invalid_credentials', {
      detail: 'The link is not known, was used already or is too old. Ask for a new one.',
    });
  }

  /**
   * Changes the person's own password and ends their other sessions; answers how many. Guesses at the
   * current one count as guesses at signing in.
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

  /** Every space the person sees, with what they are there. */
  async spacesOf(person: Person): Promise<SeenSpace[]> {
    if (!person.isOperator) return [...person.spaces];
    const spaces = await reached(() => listSpaces(this.#db));
    return spaces.map(({ id, name }) => ({ id, name, role: 'operator' }));
  }

  /** Counts the attempt beforehand, and takes it back unless the secret was wrong, which is null. */
  async #attempt<T>(subjects: AttemptSubjects, work: () => Promise<T | null>): Promise<T | null> {
    return await reached(async () => {
      const waitMs = await claimAttempt(this.#db, subjects, this.#clock.now());
      if (waitMs > 0) {
        throw new Problem('rate_limit_exceeded', {
          detail: `A wrong password or link was sent too often. Try again in ${Math.ceil(waitMs / 1000)} seconds.`,
          retryAfterMs: waitMs,
        });
      }
      let counts = false;
      try {
        const done = await work();
        counts = done === null;
        return done;
      } finally {
        if (!counts) await giveBackAttempt(this.#db, subjects).catch(() => undefined);
      }
    });
  }

  /** Null when the person has no place here any more. */
  async #open(tx: Transaction, personId: string, { headers }: Visitor): Promise<NewSession | null> {
    const token = newSecretText('ts');
    const digest = digestOfKey(token);
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

/** Made from the token, so there is nothing to keep; the token cannot be found from it. */
function csrfOf(token: string): string {
  return sha256(`csrf ${token}`);
}

function reached<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(work, { detail: 'Sessions cannot be checked at the moment.' });
}
