/**
 * Console sessions: signing in with a password or a one-time link (`issuers/` signs in through identity providers),
 * authenticating requests, signing out. A session is a row; only its holder knows its token. The rights of the person
 * are read with every request, so that a right that is removed is gone at once.
 */

import type { Database, Queryable } from '../database/database.ts';
import { Problem } from '../kernel/problem.ts';
import type { ProblemCode } from '../kernel/problem-codes.ts';
import type { Clock, Instant } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { countedAttempt, ownSubjects, passwordSubjects, secretSubjects, type Visitor } from './attempts.ts';
import { changeOwnPassword, checkPasswordChange, type PasswordChange } from './change-password.ts';
import { cookieName, readCookie } from './cookies.ts';
import { digestOfSecret, readPrefix } from './key-secret.ts';
import { KnownBrowsers } from './known-browsers.ts';
import { csrfOf, type NewSession, openSession, SESSION_IDLE_MS, type SignedIn } from './open-session.ts';
import { passwordMatches } from './passwords.ts';
import { findPerson } from './people.store.ts';
import type { Person, SeenSpace } from './person.ts';
import { checkCsrf, checkSameSite, readSessionToken, type SessionHeaders } from './session-request.ts';
import { deleteSession, type FoundSession, findSession, redeemLink, touchSession } from './sessions.store.ts';
import type { AttemptSubjects } from './sign-in-attempts.store.ts';
import {
  checkLinkAllowed,
  checkPasswordAllowed,
  isSessionAccepted,
  type SignInSettings,
} from './sign-in-ways.ts';
import { listSpaces } from './spaces.store.ts';

const SEEN_EVERY_MS = 60_000;
const NOBODY: readonly ProblemCode[] = ['missing_credentials', 'invalid_credentials'];

export interface SessionsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** The origin of the console in browsers, if it differs from the Host header. */
  readonly publicOrigin: string | null;
  readonly ways: SignInSettings;
  /** Whether the browser that sent the request uses https, so that its cookies have a prefix. */
  readonly usesHttps: (headers: SessionHeaders) => boolean;
}

export class Sessions {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #publicOrigin: string | null;
  readonly #ways: SignInSettings;
  readonly #usesHttps: (headers: SessionHeaders) => boolean;
  readonly #browsers: KnownBrowsers;

  constructor(options: SessionsOptions) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#publicOrigin = options.publicOrigin;
    this.#ways = options.ways;
    this.#usesHttps = options.usesHttps;
    this.#browsers = new KnownBrowsers(options);
  }

  /** Throws a 401 without a valid session, and a 403 for a write that another site made the browser send. */
  async authenticate(request: {
    method?: string | undefined;
    headers: SessionHeaders;
  }): Promise<SignedIn & { readonly credential: string }> {
    const { text, byCookie, outdated } = readSessionToken(request.headers, this.#usesHttps(request.headers));
    if (byCookie && request.method !== 'GET' && request.method !== 'HEAD') {
      checkSameSite(request.headers, this.#publicOrigin);
      checkCsrf(request.headers, csrfOf(text));
    }
    return await reached(async () => {
      const digest = digestOfSecret(text);
      const now = this.#clock.now();
      const found = await this.#find(this.#db, digest, now);
      if (outdated && found.hostCookie) throw sessionEnded();
      if (now - found.lastSeenAt >= SEEN_EVERY_MS) await touchSession(this.#db, digest, now);
      const { person, expiresAt, openedBy } = found;
      return { person, csrf: csrfOf(text), expiresAt, digest, openedBy, credential: text };
    });
  }

  /** The session of a request; null if nobody is signed in. */
  async recognize(request: {
    method?: string | undefined;
    headers: SessionHeaders;
  }): Promise<SignedIn | null> {
    try {
      return await this.authenticate(request);
    } catch (error) {
      if (error instanceof Problem && NOBODY.includes(error.code)) return null;
      throw error;
    }
  }

  /** The person of a session with the rights they have now. Throws a 401 if the session has ended. */
  async personOf({ digest }: Pick<SignedIn, 'digest'>, db: Queryable): Promise<Person> {
    return (await this.#find(db, digest, this.#clock.now())).person;
  }

  /** Neither the answer nor its timing reveals whether the e-mail or the password was wrong. */
  async signIn(given: { email: string; password: string }, visitor: Visitor): Promise<NewSession> {
    checkSameSite(visitor.headers, this.#publicOrigin);
    checkPasswordAllowed(this.#ways);
    const { email, password } = given;
    const browser = await reached(() => this.#browsers.idOf(this.#marksIn(visitor.headers), email));
    const session = await this.#attempt(passwordSubjects({ email, browser }, visitor), async () => {
      const person = await findPerson(this.#db, email);
      const matches = await passwordMatches(password, person?.passwordHash ?? null, {
        first: browser !== null,
      });
      if (!matches || person === null) return null;
      const opening = { personId: person.id, openedBy: 'password', ...this.#of(visitor) } as const;
      return await this.#db.transaction((tx) => openSession(tx, opening));
    });
    if (session !== null) return session;
    throw new Problem('invalid_credentials', { detail: 'The e-mail or the password is wrong.' });
  }

  /** Signs in with the code of a one-time link. */
  async signInByLink(code: string, visitor: Visitor): Promise<NewSession> {
    checkSameSite(visitor.headers, this.#publicOrigin);
    const session = await this.#attempt(secretSubjects(visitor), async () => {
      if (readPrefix(code) !== 'sl') return null;
      return await this.#db.transaction(async (tx) => {
        const link = await redeemLink(tx, digestOfSecret(code), this.#clock.now());
        if (link === null) return null;
        const { personId, madeBy } = link;
        // Not used up if it is rejected here.
        checkLinkAllowed(madeBy, this.#ways);
        return await openSession(tx, { personId, openedBy: 'link', ...this.#of(visitor) });
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
  async changePassword(session: SignedIn, given: PasswordChange): Promise<number> {
    checkPasswordAllowed(this.#ways);
    const checked = await reached(() => checkPasswordChange(this.#db, session.person, given));
    const ended = await this.#attempt(ownSubjects(session.person.email), () =>
      changeOwnPassword({ db: this.#db, clock: this.#clock }, session, checked),
    );
    if (ended !== null) return ended;
    throw new Problem('invalid_parameter', {
      detail: 'current_password is not the password you sign in with.',
      param: 'current_password',
    });
  }

  /** The cookie of a browser in which the person has signed in now: it is known to their account from then on. */
  async rememberBrowser(headers: SessionHeaders, { email }: Person): Promise<string> {
    return await reached(() => this.#browsers.remember(this.#marksIn(headers), email));
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

  async #attempt<T>(subjects: AttemptSubjects, work: () => Promise<T | null>): Promise<T | null> {
    return await reached(() => countedAttempt({ db: this.#db, clock: this.#clock }, subjects, work));
  }

  async #find(db: Queryable, digest: string, now: Instant): Promise<FoundSession> {
    const found = await findSession(db, digest, { now, seenAfter: now - SESSION_IDLE_MS });
    if (found !== null && isSessionAccepted(found.openedBy, this.#ways)) return found;
    throw sessionEnded();
  }

  #marksIn(headers: SessionHeaders): string | null {
    return readCookie(headers.cookie, cookieName('device', this.#usesHttps(headers)));
  }

  #of({ headers }: Visitor): { userAgent: string | undefined; now: Instant } {
    return { userAgent: headers['user-agent'], now: this.#clock.now() };
  }
}

function sessionEnded(): Problem {
  return new Problem('invalid_credentials', {
    detail: 'The session is invalid or has expired. Sign in again.',
  });
}

function reached<T>(work: () => Promise<T>): Promise<T> {
  return whenAvailable(work, { detail: 'Sessions cannot be verified right now. Retry in a moment.' });
}
