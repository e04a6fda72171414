/** Signs people in and out of the console, and changes their password. The session is a cookie, or a token on request. */
import type { IssuerSignIn } from '../../access/issuers/issuer-sign-in.ts';
import type { Sessions } from '../../access/sessions.ts';
import { EMAIL } from '../../contract/administration/words.ts';
import { Shape } from '../../contract/check-shape.ts';
import {
  ChangePasswordRequest,
  type PasswordChanged,
  type SignedOut,
  SignInByLinkRequest,
  SignInRequest,
  type VisitorSession,
} from '../../contract/console.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { Problem } from '../../kernel/problem.ts';
import { browserOrigin } from '../client-address.ts';
import { type HttpRoute, openRoute, sessionRoute } from '../define-route.ts';
import { readJsonBody } from '../read-body.ts';
import { type SessionAnswerOptions, SIGN_IN_BODY, sendSession, shownSession } from '../send-session.ts';
import { signedOutCookies, visitorOf } from '../session-cookie.ts';
import { SIGN_IN_PATH } from './console.ts';

const passwordShape = new Shape(SignInRequest);
const linkShape = new Shape(SignInByLinkRequest);
const changeShape = new Shape(ChangePasswordRequest);

export interface ConsoleSessionTools {
  readonly sessions: Sessions;
  readonly issuers: IssuerSignIn;
}

export function consoleSessionRoutes(
  { sessions, issuers }: ConsoleSessionTools,
  options: SessionAnswerOptions,
): HttpRoute[] {
  return [
    openRoute('signIn', endpoints.signIn, async (exchange) => {
      const body = await readJsonBody(exchange, SIGN_IN_BODY);
      const { email, password, keep } = passwordShape.check(body.value);
      if (!EMAIL.test(email)) {
        throw new Problem('invalid_parameter', {
          detail: 'email must be an e-mail address, such as name@example.com.',
          param: 'email',
        });
      }
      const session = await sessions.signIn({ email, password }, visitorOf(exchange, options));
      await sendSession(exchange, { sessions, session, keep }, options);
    }),
    openRoute('signInByLink', endpoints.signInByLink, async (exchange) => {
      const body = await readJsonBody(exchange, SIGN_IN_BODY);
      const { code, keep } = linkShape.check(body.value);
      const session = await sessions.signInByLink(code, visitorOf(exchange, options));
      await sendSession(exchange, { sessions, session, keep }, options);
    }),
    sessionRoute('getSession', endpoints.getSession, sessions, async (exchange, session) => {
      await sendSession(exchange, { sessions, session }, options);
    }),
    openRoute('getVisitor', endpoints.getVisitor, async (exchange) => {
      const session = await sessions.recognize(exchange.request);
      const visitor: VisitorSession = {
        session: session === null ? null : await shownSession(sessions, session),
      };
      exchange.sendJson(200, JSON.stringify(visitor));
    }),
    sessionRoute('signOut', endpoints.signOut, sessions, async (exchange, session) => {
      await sessions.signOut(session);
      const signInPage = `${browserOrigin(exchange.request, options.publicUrl)}${SIGN_IN_PATH}`;
      const signOutUrl = await issuers.signOutUrl(session.openedBy, signInPage);
      const signedOut: SignedOut = {
        signed_out: true,
        ...(signOutUrl !== null && { sign_out_url: signOutUrl }),
      };
      exchange.sendJson(200, JSON.stringify(signedOut), {}, signedOutCookies(exchange, options));
    }),
    sessionRoute('changePassword', endpoints.changePassword, sessions, async (exchange, session) => {
      const body = await readJsonBody(exchange, SIGN_IN_BODY);
      const { current_password: current, new_password: next } = changeShape.check(body.value);
      const ended = await sessions.changePassword(session, { current, next });
      const changed: PasswordChanged = { changed: true, sessions_ended: ended };
      exchange.sendJson(200, JSON.stringify(changed));
    }),
  ];
}
