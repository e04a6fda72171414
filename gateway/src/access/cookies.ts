/** The cookies of signing in, and how their names begin. Pure. */

const names = {
  session: 'tollgate_session',
  /** While someone is at an issuer. */
  signIn: 'tollgate_sign_in',
  /** The browser is known to accounts that signed in there. */
  device: 'tollgate_device',
} as const;

export type CookieUse = keyof typeof names;

/**
 * Browsers take a cookie with this prefix only over https, from this host itself and for all its paths. So neither a page
 * of a neighbouring host nor someone on the network can give a browser a session of their own.
 */
const HOST_PREFIX = '__Host-';

export function cookieName(use: CookieUse, usesHttps: boolean): string {
  return usesHttps ? HOST_PREFIX + names[use] : names[use];
}

/** `header`: of the request; undefined: it has none. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || null;
  }
  return null;
}
