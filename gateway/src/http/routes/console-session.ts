/** Signs people in and out of the console, and changes their password. The session is a cookie, or a token on request. */
import type { IssuerSignIn } from '../../access/issuers/issuer-sign-in.ts';
import type { NewSession, SignedIn } from '../../access/open-session.ts';
import { EMAIL } from '../../access/person.ts';
import type { Sessions } from '../../access/sessions.ts';
import { Shape } from '../../contract/check-shape.ts';
import {
  ChangePasswordRequest,
  type ConsoleSession,
  type PasswordChanged,
  type SignedOut,
  SignInByLinkRequest,
  SignInRequest,
} from '../../contract/console.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { Problem } from '../../kernel/problem.ts';
import { type Clock, isoOf } from '../../kernel/time.ts';
import { browserOrigin } from '../client-address.ts';
import { type HttpRoute, openRoute, sessionRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { readJsonBody } from '../read-body.ts';
import { type CookieOptions, sessionCookie, visitorOf, writeCookie } from '../session-cookie.ts';
import { SIGN_IN_PATH } from './sign-in-page.ts';

const BODY_LIMITS = { bytesMax: 16 * 1024, depthMax: 4, keysMax: 16, valuesMax: 16, arrivals: null };

const passwordShape = new Shape(SignInRequest);
const linkShape = new Shape(SignInByLinkRequest);
const changeShape = new Shape(ChangePasswordRequest);

export interface ConsoleSessionOptions extends CookieOptions {
  readonly clock: Clock;
  readonly publicUrl: string | null;
}

export interface ConsoleSessionTools {
  readonly sessions: Sessions;
  readonly issuers: IssuerSignIn;
}

export function consoleSessionRoutes(
  { sessions, issuers }: ConsoleSessionTools,
  options: ConsoleSessionOptions,
): HttpRoute[] {
  const setCookie = (exchange: Exchange, value: string, maxAgeMs: number): Record<string, string> => ({
    'set-cookie': writeCookie(exchange, sessionCookie(value, maxAgeMs), options),
  });
  const welcome = async (
    exchange: Exchange,
    session: NewSession,
    keep: 'cookie' | 'token',
  ): Promise<void> => {
    const shown = await shownSession(sessions, session);
    if (keep === 'token') {
      exchange.sendJson(200, JSON.stringify({ ...shown, token: session.token }));
      return;
    }
    const maxAgeMs = session.expiresAt - options.clock.now();
    exchange.sendJson(200, JSON.stringify(shown), setCookie(exchange, session.token, maxAgeMs));
  };
  return [
    openRoute('signIn', endpoints.signIn, async (exchange) => {
      const body = await readJsonBody(exchange, BODY_LIMITS);
      const { email, password, keep = 'cookie' } = passwordShape.check(body.value);
      if (!EMAIL.test(email)) {
        throw new Problem('invalid_parameter', {
          detail: 'email must be an e-mail address, such as name@example.com.',
          param: 'email',
        });
      }
      await welcome(exchange, await sessions.signIn({ email, password }, visitorOf(exchange, options)), keep);
    }),
    openRoute('signInByLink', endpoints.signInByLink, async (exchange) => {
      const body = await readJsonBody(exchange, BODY_LIMITS);
      const { code, keep = 'cookie' } = linkShape.check(body.value);
      await welcome(exchange, await sessions.signInByLink(code, visitorOf(exchange, options)), keep);
    }),
    sessionRoute('getSession', endpoints.getSession, sessions, async (exchange, session) => {
      exchange.sendJson(200, JSON.stringify(await shownSession(sessions, session)));
    }),
    sessionRoute('signOut', endpoints.signOut, sessions, async (exchange, session) => {
      await sessions.signOut(session);
      const signInPage = `${browserOrigin(exchange.request, options.publicUrl)}${SIGN_IN_PATH}`;
      const signOutUrl = await issuers.signOutUrl(session.openedBy, signInPage);
      const signedOut: SignedOut = {
        signed_out: true,
        ...(signOutUrl !== null && { sign_out_url: signOutUrl }),
      };
      exchange.sendJson(200, JSON.stringify(signedOut), setCookie(exchange, '', 0));
    }),
    sessionRoute('changePassword', endpoints.changePassword, sessions, async (exchange, session) => {
      const body = await readJsonBody(exchange, BODY_LIMITS);
      const { current_password: current, new_password: next } = changeShape.check(body.value);
      const ended = await sessions.changePassword(session, { current, next }, visitorOf(exchange, options));
      const changed: PasswordChanged = { changed: true, sessions_ended: ended };
      exchange.sendJson(200, JSON.stringify(changed));
    }),
  ];
}

async function shownSession(sessions: Sessions, session: SignedIn): Promise<ConsoleSession> {
  const { person, csrf, expiresAt } = session;
  const { email, nickname, isOperator } = person;
  const spaces = await sessions.spacesOf(person);
  return { person: { email, nickname, operator: isOperator }, spaces, csrf, expires_at: isoOf(expiresAt) };
}
