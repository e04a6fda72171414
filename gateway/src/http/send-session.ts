/** Answers with a session: the person and their spaces, and the session itself if it is new. */
import type { NewSession, SignedIn } from '../access/open-session.ts';
import type { Sessions } from '../access/sessions.ts';
import type { ConsoleSession } from '../contract/console.ts';
import { type Clock, kstOf } from '../kernel/time.ts';
import type { Exchange } from './exchange.ts';
import { type CookieOptions, signedInCookies } from './session-cookie.ts';

/** The limits of the bodies of signing in. */
export const SIGN_IN_BODY = { bytesMax: 16 * 1024, depthMax: 4, keysMax: 16, valuesMax: 16, arrivals: null };

export interface SessionAnswerOptions extends CookieOptions {
  readonly clock: Clock;
}

export async function sendSession(
  exchange: Exchange,
  of: { sessions: Sessions; session: SignedIn | NewSession; keep?: 'cookie' | 'token' | undefined },
  options: SessionAnswerOptions,
): Promise<void> {
  const { sessions, session, keep = 'cookie' } = of;
  const shown = await shownSession(sessions, session);
  if (!('token' in session)) {
    exchange.sendJson(200, JSON.stringify(shown));
    return;
  }
  if (keep === 'token') {
    exchange.sendJson(200, JSON.stringify({ ...shown, token: session.token }));
    return;
  }
  const cookies = await signedInCookies(exchange, { sessions, session }, options);
  exchange.sendJson(200, JSON.stringify(shown), {}, cookies);
}

export async function shownSession(sessions: Sessions, session: SignedIn): Promise<ConsoleSession> {
  const { person, csrf, expiresAt } = session;
  const { email, nickname, isOperator } = person;
  const spaces = await sessions.spacesOf(person);
  return { person: { email, nickname, operator: isOperator }, spaces, csrf, expires_at: kstOf(expiresAt) };
}
