/** Signs people in through an issuer: sends the browser there, and opens the session when it comes back. */
import type { IssuerSignIn } from '../../access/issuers/issuer-sign-in.ts';
import { readReturnPath } from '../../access/issuers/return-path.ts';
import { SIGN_IN_MS } from '../../access/issuers/sign-in-state.ts';
import { readCookie } from '../../access/session-request.ts';
import type { SignInSettings } from '../../access/sign-in-ways.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { SignInWays } from '../../contract/sign-in.ts';
import type { Clock } from '../../kernel/time.ts';
import { browserOrigin } from '../client-address.ts';
import { type HttpRoute, openRoute } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { failAsPage } from '../plain-page.ts';
import { type Cookie, type CookieOptions, sessionCookie, visitorOf, writeCookie } from '../session-cookie.ts';

const STATE_COOKIE = 'tollgate_sign_in';
const STATE_PATH = '/api/console/oidc';

export interface IssuerRouteOptions extends CookieOptions {
  readonly clock: Clock;
  readonly publicUrl: string | null;
  readonly ways: SignInSettings;
}

export function issuerSignInRoutes(signIn: IssuerSignIn, options: IssuerRouteOptions): HttpRoute[] {
  const { clock, publicUrl } = options;
  const cookie = (exchange: Exchange, one: Cookie): string => writeCookie(exchange, one, options);
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
      exchange.redirect(started.location, [cookie(exchange, stateCookie(started.cookie, SIGN_IN_MS))]);
    }),
    openRoute('finishIssuerSignIn', endpoints.finishIssuerSignIn, async (exchange) => {
      failAsPage(exchange);
      const { request } = exchange;
      const callback = {
        issuer: issuerIn(exchange),
        query: queryOf(exchange).toString(),
        cookie: readCookie(request.headers.cookie ?? '', STATE_COOKIE),
        origin: browserOrigin(request, publicUrl),
      };
      const { session, target } = await signIn.finish(callback, visitorOf(exchange, options));
      exchange.redirect(target, [
        cookie(exchange, sessionCookie(session.token, session.expiresAt - clock.now())),
        cookie(exchange, stateCookie('', 0)),
      ]);
    }),
  ];
}

export function startPath(issuer: string): string {
  return `${STATE_PATH}/${issuer}/start`;
}

function shownWays({ password, issuers }: SignInSettings, origin: string): SignInWays {
  return {
    password,
    issuers: issuers.map(({ name, label }) => ({ name, label, start_url: origin + startPath(name) })),
  };
}

function stateCookie(value: string, maxAgeMs: number): Cookie {
  return { name: STATE_COOKIE, value, path: STATE_PATH, maxAgeMs };
}

function issuerIn({ params }: Exchange): string {
  return params.issuer as string;
}

function queryOf({ request }: Exchange): URLSearchParams {
  const { url = '' } = request;
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at));
}
