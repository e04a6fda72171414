/** The cookies of signing in, as they are sent to browsers. */

import type { Visitor } from '../access/attempts.ts';
import { type CookieUse, cookieName } from '../access/cookies.ts';
import { KNOWN_MS } from '../access/known-browsers.ts';
import type { NewSession } from '../access/open-session.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Clock } from '../kernel/time.ts';
import { clientAddress, type ProxyTrust, usesHttps } from './client-address.ts';
import type { Exchange } from './exchange.ts';

export interface CookieOptions extends ProxyTrust {
  readonly publicUrl: string | null;
}

/** The value of a `set-cookie` header. `maxAgeMs` 0 deletes the cookie. */
export function writeCookie(
  { request }: Exchange,
  { use, value, maxAgeMs }: { use: CookieUse; value: string; maxAgeMs: number },
  options: CookieOptions,
): string {
  const secure = usesHttps(request.headers, options);
  return cookieLine({ name: cookieName(use, secure), value, maxAgeMs, secure });
}

/** The cookies of a browser in which someone has signed in now. */
export async function signedInCookies(
  exchange: Exchange,
  { sessions, session }: { sessions: Sessions; session: NewSession },
  options: CookieOptions & { readonly clock: Clock },
): Promise<string[]> {
  const { token, expiresAt, person } = session;
  const marks = await sessions.rememberBrowser(exchange.request.headers, person);
  const maxAgeMs = expiresAt - options.clock.now();
  return [
    writeCookie(exchange, { use: 'session', value: token, maxAgeMs }, options),
    writeCookie(exchange, { use: 'device', value: marks, maxAgeMs: KNOWN_MS }, options),
  ];
}

/** Deletes the cookie of the session, also one without the prefix, which a previous version may have set. */
export function signedOutCookies({ request }: Exchange, options: CookieOptions): string[] {
  const secure = usesHttps(request.headers, options);
  const names = new Set([cookieName('session', secure), cookieName('session', false)]);
  return [...names].map((name) => cookieLine({ name, value: '', maxAgeMs: 0, secure }));
}

export function visitorOf({ request }: Exchange, trust: ProxyTrust): Visitor {
  const { headers, socket } = request;
  return { headers, address: clientAddress({ headers, remoteAddress: socket.remoteAddress }, trust) };
}

function cookieLine(cookie: { name: string; value: string; maxAgeMs: number; secure: boolean }): string {
  const attributes = `Path=/; Max-Age=${Math.ceil(cookie.maxAgeMs / 1000)}; HttpOnly; SameSite=Lax`;
  return `${cookie.name}=${cookie.value}; ${attributes}${cookie.secure ? '; Secure' : ''}`;
}
