/** The cookies of signing in. */

import type { Visitor } from '../access/attempts.ts';
import { SESSION_COOKIE } from '../access/session-request.ts';
import { cameByHttps, clientAddress, type ProxyTrust } from './client-address.ts';
import type { Exchange } from './exchange.ts';

export interface CookieOptions extends ProxyTrust {
  /** Cookies are marked as https-only even if the request came over http. */
  readonly secureCookies: boolean;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** 0 deletes the cookie. */
  readonly maxAgeMs: number;
}

export function sessionCookie(value: string, maxAgeMs: number): Cookie {
  return { name: SESSION_COOKIE, value, path: '/', maxAgeMs };
}

/** The value of the `set-cookie` header. */
export function writeCookie({ request }: Exchange, cookie: Cookie, options: CookieOptions): string {
  const secure = options.secureCookies || cameByHttps(request.headers, options);
  const seconds = Math.ceil(cookie.maxAgeMs / 1000);
  const attributes = `Path=${cookie.path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  return `${cookie.name}=${cookie.value}; ${attributes}${secure ? '; Secure' : ''}`;
}

export function visitorOf({ request }: Exchange, trust: ProxyTrust): Visitor {
  const { headers, socket } = request;
  return { headers, address: clientAddress({ headers, remoteAddress: socket.remoteAddress }, trust) };
}
