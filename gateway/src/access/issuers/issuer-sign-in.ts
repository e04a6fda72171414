/**
 * Signing in through an issuer (OpenID Connect, authorization code with PKCE): sends the browser there, and opens a
 * session when it comes back.
 */
import type { Database } from '../../database/database.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { Problem } from '../../kernel/problem.ts';
import { whenAvailable } from '../../kernel/when-available.ts';
import { countedAttempt, secretSubjects, type Visitor } from '../attempts.ts';
import type { NewSession } from '../open-session.ts';
import { issuerOf, type SessionOrigin, type SignInSettings } from '../sign-in-ways.ts';
import { admitPerson } from './admit-person.ts';
import type { IssuerNetwork } from './ask-issuer.ts';
import { finishOnce } from './identities.store.ts';
import { IssuerClient } from './issuer-client.ts';
import { readClaims } from './read-claims.ts';
import { readReturnPath } from './return-path.ts';
import {
  deriveSecrets,
  readSignInState,
  SIGN_IN_MS,
  type SignInState,
  writeSignInState,
} from './sign-in-state.ts';

const SECRET_CHARACTERS = 43;

export interface IssuerSignInTools extends IssuerNetwork {
  readonly db: Database;
  readonly settings: SignInSettings;
}

/** A browser that comes back from an issuer. */
export interface Callback {
  /** The name of the issuer, from the path. */
  readonly issuer: string;
  /** The query of its address. */
  readonly query: string;
  /** The cookie of the sign-in; null if it has none. */
  readonly cookie: string | null;
  /** Of this server, for browsers. */
  readonly origin: string;
}

export class IssuerSignIn {
  readonly #tools: IssuerSignInTools;
  readonly #clients: ReadonlyMap<string, IssuerClient>;

  constructor(tools: IssuerSignInTools) {
    this.#tools = tools;
    const { issuers } = tools.settings;
    this.#clients = new Map(issuers.map((settings) => [settings.name, new IssuerClient(settings, tools)]));
  }

  /** Where the browser goes, and the cookie that it needs when it comes back. */
  async start(of: {
    issuer: string;
    origin: string;
    target: string;
  }): Promise<{ location: string; cookie: string }> {
    const client = this.#clientOf(of.issuer);
    const expiresAt = this.#tools.clock.now() + SIGN_IN_MS;
    const state = { issuer: of.issuer, expiresAt, target: of.target };
    const cookie = writeSignInState(state, randomBase62(SECRET_CHARACTERS));
    const location = await client.authorizationUrl(callbackUrl(of), deriveSecrets(cookie));
    return { location, cookie };
  }

  /** Throws a Problem if nobody is signed in; it says what the person can do. */
  async finish(callback: Callback, visitor: Visitor): Promise<{ session: NewSession; target: string }> {
    const { db, clock } = this.#tools;
    const client = this.#clientOf(callback.issuer);
    const { state, cookie } = this.#checkState(callback);
    const target = readReturnPath(state.target);
    const { digest } = deriveSecrets(cookie);
    const finished = await whenAvailable(() =>
      countedAttempt({ db, clock }, secretSubjects(visitor), async () => {
        const first = await finishOnce(db, { digest, expiresAt: state.expiresAt }, clock.now());
        return first ? await this.#admit(client, { ...callback, cookie }, visitor) : null;
      }),
    );
    if (finished !== null) return { session: finished, target };
    throw failed('was already used, or the issuer does not accept it');
  }

  /** Where the browser goes to sign out at the issuer that opened the session; null if there is no such address. */
  async signOutUrl(openedBy: SessionOrigin, returnTo: string): Promise<string | null> {
    const client = this.#clients.get(issuerOf(openedBy) ?? '');
    if (client === undefined) return null;
    // The session here has ended; an issuer that is down must not make that look like a failure.
    return await client.signOutUrl(returnTo).catch(() => null);
  }

  #clientOf(name: string): IssuerClient {
    const client = this.#clients.get(name);
    if (client !== undefined) return client;
    throw new Problem('issuer_not_found', {
      detail: `There is no issuer ${JSON.stringify(name.slice(0, 40))}. GET /api/console/sign-in lists them.`,
    });
  }

  /** The cookie must be the one that this sign-in began with. */
  #checkState({ cookie, issuer, query }: Callback): { state: SignInState; cookie: string } {
    const state = cookie === null ? null : readSignInState(cookie);
    if (cookie === null || state === null) throw failed('did not begin in this browser, or took too long');
    const now = this.#tools.clock.now();
    if (state.expiresAt <= now || state.expiresAt > now + SIGN_IN_MS) throw failed('took too long');
    const sent = new URLSearchParams(query).get('state');
    if (state.issuer !== issuer || sent !== deriveSecrets(cookie).state) {
      throw failed('is not the one that began in this browser');
    }
    return { state, cookie };
  }

  /** Null if the issuer does not accept the code. */
  async #admit(
    client: IssuerClient,
    callback: Callback & { cookie: string },
    visitor: Visitor,
  ): Promise<NewSession | null> {
    const { db, clock, settings: all } = this.#tools;
    const { settings } = client;
    const address = new URL(callbackUrl(callback));
    address.search = callback.query;
    const claims = await client.redeem(address, deriveSecrets(callback.cookie));
    if (claims === null) return null;
    const claimed = readClaims(
      claims,
      settings,
      all.issuers.filter((other) => other !== settings),
    );
    const admission = { settings, claimed, userAgent: visitor.headers['user-agent'], now: clock.now() };
    const session = await db.transaction((tx) => admitPerson(tx, admission));
    if (session !== null) return session;
    throw new Problem('sign_in_not_allowed', {
      detail:
        `You signed in at ${settings.label} as ${claimed.email}, but this address has no access here. ` +
        'Ask an administrator of your space to invite it, or your operator to add it.',
    });
  }
}

/** Where the issuer sends the browser back to; it must be registered there. */
function callbackUrl({ issuer, origin }: { issuer: string; origin: string }): string {
  return `${origin}/api/console/oidc/${issuer}/callback`;
}

function failed(what: string): Problem {
  return new Problem('sign_in_failed', { detail: `The sign-in ${what}. Start again from the sign-in page.` });
}
