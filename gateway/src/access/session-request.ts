/** Reads the session token of a request, and checks that no other site made the browser send it. Pure. */
import { Problem } from '../kernel/problem.ts';
import { cookieName, readCookie } from './cookies.ts';
import { readPrefix } from './key-secret.ts';
import { kindNames } from './read-credential.ts';

export interface SessionHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'user-agent'?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly 'x-csrf-token'?: string | string[] | undefined;
  readonly 'x-forwarded-proto'?: string | string[] | undefined;
}

export interface SessionToken {
  readonly text: string;
  /** A browser sends a cookie also for other sites; a bearer token is only sent by its holder. */
  readonly byCookie: boolean;
  /** A cookie without the prefix that cookies over https have: it opens only sessions of previous versions. */
  readonly outdated: boolean;
}

const SEND = 'Sign in at POST /api/console/session, or send Authorization: Bearer ts_… ("tollgate login")';

export function readSessionToken(headers: SessionHeaders, usesHttps: boolean): SessionToken {
  const { authorization } = headers;
  if (authorization !== undefined && authorization !== '') {
    const bearer = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (bearer === undefined) {
      throw new Problem('invalid_credentials', {
        detail: `The Authorization header is not of the form "Bearer <session>". ${SEND}.`,
      });
    }
    checkToken(bearer);
    return { text: bearer, byCookie: false, outdated: false };
  }
  const current = readCookie(headers.cookie, cookieName('session', usesHttps));
  const text = current ?? readCookie(headers.cookie, cookieName('session', false));
  if (text === null) throw new Problem('missing_credentials', { detail: `You are not signed in. ${SEND}.` });
  checkToken(text);
  return { text, byCookie: true, outdated: current === null };
}

function checkToken(text: string): void {
  const prefix = readPrefix(text);
  if (prefix === 'ts') return;
  const what =
    prefix === null
      ? 'The session is not well-formed: it is ts_ and 46 letters and digits.'
      : `This is ${kindNames[prefix]}; this endpoint takes ${kindNames.ts}.`;
  throw new Problem('invalid_credentials', { detail: `${what} ${SEND}.` });
}

/** Rejects a request that a page of another site made a browser send. Programs send neither header. */
export function checkSameSite(headers: SessionHeaders, publicOrigin: string | null): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const ownOrigin =
    origin === undefined ||
    origin === publicOrigin ||
    (URL.canParse(origin) && new URL(origin).host === host);
  if (ownOrigin && (site === undefined || site === 'same-origin' || site === 'none')) return;
  throw new Problem('csrf_failed', {
    detail:
      'The request comes from a page of another site. Behind a proxy that changes the host, set server.public_url.',
  });
}

/** A write with a cookie must also carry the CSRF token of its session. */
export function checkCsrf(headers: SessionHeaders, csrf: string): void {
  const sent = headers['x-csrf-token'];
  if (sent === csrf) return;
  throw new Problem('csrf_failed', {
    detail:
      sent === undefined
        ? 'The header x-csrf-token is missing; send the csrf value of GET /api/console/session.'
        : 'The header x-csrf-token does not belong to this session; send the csrf value of GET /api/console/session.',
  });
}
