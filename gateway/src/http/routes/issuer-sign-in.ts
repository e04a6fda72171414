/** Signs people in through an issuer: sends the browser there, and opens the session when it comes back. */

import { cookieName, readCookie } from '../../access/cookies.ts';
import type { IssuerSignIn } from '../../access/issuers/issuer-sign-in.ts';
import { readReturnPath } from '../../access/issuers/return-path.ts';
import { SIGN_IN_MS } from '../../access/issuers/sign-in-state.ts';
import type { Sessions } from '../../access/sessions.ts';
import type { SignInSettings } from '../../access/sign-in-ways.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { SignInWays } from '../../contract/sign-in.ts';
import type { Clock } from '../../kernel/time.ts';
import { browserOrigin, usesHttps } from '../client-address.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { failAsPage } from '../plain-page.ts';
import { type CookieOptions, signedInCookies, visitorOf, writeCookie } from '../session-cookie.ts';

export interface IssuerRouteOptions extends CookieOptions {
  readonly clock: Clock;
  readonly ways: SignInSettings;
}

export function issuerSignInRoutes(
  { signIn, sessions }: { signIn: IssuerSignIn; sessions: Sessions },
  options: IssuerRouteOptions,
): HttpRoute[] {
  const { publicUrl } = options;
  const stateCookie = (exchange: Exchange, value: string, maxAgeMs: number): string =>
    writeCookie(exchange, { use: 'signIn', value, maxAgeMs }, options);
  return [
    openRoute('listSignInWays', endpoints.listSignInWays, (exchange) => {
      const origin = browserOrigin(exchange.request, publicUrl);
      exchange.sendJson(200, JSON.stringify(shownWays(options.ways, origin)));
    }),
    openRoute('startIssuerSignIn', endpoints.startIssuerSignIn, async (exchange) => {
      failAsPage(exchange);
      const origin = browserOrigin(exchange.request, publicUrl);
      const target = readReturnPath(queryOf(exchange).get('return_to'));
      const started = await signIn.start({ issuer: issuerIn(exchange), origin, target });
      exchange.redirect(started.location, [stateCookie(exchange, started.cookie, SIGN_IN_MS)]);
    }),
    openRoute('finishIssuerSignIn', endpoints.finishIssuerSignIn, async (exchange) => {
      failAsPage(exchange);
      const { request } = exchange;
      const callback = {
        issuer: issuerIn(exchange),
        query: queryOf(exchange).toString(),
        cookie: readCookie(request.headers.cookie, cookieName('signIn', usesHttps(request.headers, options))),
        origin: browserOrigin(request, publicUrl),
      };
      const { session, target } = await signIn.finish(callback, visitorOf(exchange, options));
      const cookies = await signedInCookies(exchange, { sessions, session }, options);
      exchange.redirect(target, [...cookies, stateCookie(exchange, '', 0)]);
    }),
  ];
}

export function startPath(issuer: string): string {
  return `/api/console/oidc/${issuer}/start`;
}

function shownWays({ password, issuers }: SignInSettings, origin: string): SignInWays {
  return {
    password,
    issuers: issuers.map(({ name, label }) => ({ name, label, start_url: origin + startPath(name) })),
  };
}

function issuerIn({ params }: Exchange): string {
  return params.issuer as string;
}

function queryOf({ request }: Exchange): URLSearchParams {
  const { url = '' } = request;
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at));
}
