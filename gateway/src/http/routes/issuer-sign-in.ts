/** Signs people in through an issuer: sends the browser there, and opens the session when it comes back. */

import { cookieName, readCookie } from '../../access/cookies.ts';
import type { IssuerSignIn } from '../../access/issuers/issuer-sign-in.ts';
import { readReturnPath } from '../../access/issuers/return-path.ts';
import { isCommandLine, SIGN_IN_MS, type SignInTarget } from '../../access/issuers/sign-in-state.ts';
import type { Sessions } from '../../access/sessions.ts';
import type { SignInSettings } from '../../access/sign-in-ways.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { SignInWays } from '../../contract/sign-in.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Clock } from '../../kernel/time.ts';
import { browserOrigin, usesHttps } from '../client-address.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { failAsPage, pageHeaders } from '../plain-page.ts';
import { type CookieOptions, signedInCookies, visitorOf, writeCookie } from '../session-cookie.ts';
import { commandLinePage } from './command-line-page.ts';

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
      const target = readTarget(queryOf(exchange));
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
      if (typeof target === 'string') {
        const cookies = await signedInCookies(exchange, { sessions, session }, options);
        exchange.redirect(target, [...cookies, stateCookie(exchange, '', 0)]);
        return;
      }
      const code = await signIn.codeFor(session, target);
      const page = commandLinePage(target, { code, email: session.person.email });
      const ended = { 'set-cookie': stateCookie(exchange, '', 0) };
      exchange.sendHtml(200, page, { ...pageHeaders(''), ...ended });
    }),
  ];
}

export function startPath(issuer: string): string {
  return `/api/console/oidc/${issuer}/start`;
}

/** A command line waits on a port, or a page of the console is opened. */
function readTarget(query: URLSearchParams): SignInTarget {
  const [port, challenge] = [query.get('cli_port'), query.get('cli_challenge')];
  if (port === null && challenge === null) return readReturnPath(query.get('return_to'));
  const target = { port: Number(port), challenge };
  if (isCommandLine(target)) return target;
  throw new Problem('invalid_parameter', {
    detail:
      'cli_port must be a port from 1024 to 65535, and cli_challenge a SHA-256 in hexadecimal. Send both.',
    param: 'cli_port',
  });
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
