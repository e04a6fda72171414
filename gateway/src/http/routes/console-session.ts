/** Signs people in and out of the console, and changes their password. The session is a cookie, or a token on request. */

import { SESSION_COOKIE } from '../../access/session-request.ts';
import type { NewSession, Sessions, SignedIn, Visitor } from '../../access/sessions.ts';
import { EMAIL } from '../../contract/administration/words.ts';
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
import { cameByHttps, clientAddress, type ProxyTrust } from '../client-address.ts';
import { type HttpRoute, openRoute, sessionRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { readJsonBody } from '../read-body.ts';

const BODY_LIMITS = { bytesMax: 16 * 1024, depthMax: 4, keysMax: 16, valuesMax: 16, arrivals: null };

const passwordShape = new Shape(SignInRequest);
const linkShape = new Shape(SignInByLinkRequest);
const changeShape = new Shape(ChangePasswordRequest);

export interface ConsoleSessionOptions extends ProxyTrust {
  readonly clock: Clock;
  /** Cookies are marked as https-only even if the request came over http. */
  readonly secureCookies: boolean;
}

export function consoleSessionRoutes(sessions: Sessions, options: ConsoleSessionOptions): HttpRoute[] {
  const visitorOf = ({ request }: Exchange): Visitor => {
    const { remoteAddress } = request.socket;
    return {
      headers: request.headers,
      address: clientAddress({ headers: request.headers, remoteAddress }, options),
    };
  };
  const cookie = (exchange: Exchange, value: string, maxAgeMs: number): Record<string, string> => {
    const secure = options.secureCookies || cameByHttps(exchange.request.headers, options);
    const attributes = `Path=/; Max-Age=${Math.ceil(maxAgeMs / 1000)}; HttpOnly; SameSite=Lax`;
    return { 'set-cookie': `${SESSION_COOKIE}=${value}; ${attributes}${secure ? '; Secure' : ''}` };
  };
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
    exchange.sendJson(200, JSON.stringify(shown), cookie(exchange, session.token, maxAgeMs));
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
      await welcome(exchange, await sessions.signIn({ email, password }, visitorOf(exchange)), keep);
    }),
    openRoute('signInByLink', endpoints.signInByLink, async (exchange) => {
      const body = await readJsonBody(exchange, BODY_LIMITS);
      const { code, keep = 'cookie' } = linkShape.check(body.value);
      await welcome(exchange, await sessions.signInByLink(code, visitorOf(exchange)), keep);
    }),
    sessionRoute('getSession', endpoints.getSession, sessions, async (exchange, session) => {
      exchange.sendJson(200, JSON.stringify(await shownSession(sessions, session)));
    }),
    sessionRoute('signOut', endpoints.signOut, sessions, async (exchange, session) => {
      await sessions.signOut(session);
      exchange.sendJson(
        200,
        JSON.stringify({ signed_out: true } satisfies SignedOut),
        cookie(exchange, '', 0),
      );
    }),
    sessionRoute('changePassword', endpoints.changePassword, sessions, async (exchange, session) => {
      const body = await readJsonBody(exchange, BODY_LIMITS);
      const { current_password: current, new_password: next } = changeShape.check(body.value);
      const ended = await sessions.changePassword(session, { current, next }, visitorOf(exchange));
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
