/**
 * What a browser keeps while its person signs in at an issuer: a cookie with a secret, the issuer and where to go
 * afterwards. `state`, `nonce` and the PKCE verifier are derived from the whole cookie, so nothing is stored here, and
 * a cookie that was changed in any way does not match the `state` that comes back. Pure.
 */
import { sha256 } from '../../kernel/digest.ts';
import { MINUTE_MS } from '../../kernel/durations.ts';
import type { Instant } from '../../kernel/time.ts';

export const SIGN_IN_MS = 10 * MINUTE_MS;

export interface SignInState {
  /** Its name. */
  readonly issuer: string;
  readonly expiresAt: Instant;
  /** Where to go after signing in: a path of the console. */
  readonly target: string;
}

export interface DerivedSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Identifies the sign-in, so that it is used once. */
  readonly digest: string;
}

/** `secret`: random, and without dots. */
export function writeSignInState({ issuer, expiresAt, target }: SignInState, secret: string): string {
  const payload = JSON.stringify([issuer, expiresAt, target]);
  return `${secret}.${Buffer.from(payload).toString('base64url')}`;
}

/** Null if the text was not written by `writeSignInState`. */
export function readSignInState(cookie: string): SignInState | null {
  const [secret = '', payload = '', ...rest] = cookie.split('.');
  if (secret === '' || rest.length > 0) return null;
  const [issuer, expiresAt, target] = readArray(Buffer.from(payload, 'base64url').toString('utf8'));
  if (typeof issuer !== 'string' || typeof expiresAt !== 'number') return null;
  return typeof target === 'string' ? { issuer, expiresAt, target } : null;
}

export function deriveSecrets(cookie: string): DerivedSecrets {
  const [state, nonce, verifier, digest] = ['state', 'nonce', 'verifier', 'digest'].map((use) =>
    sha256(`oidc ${use} ${cookie}`),
  ) as [string, string, string, string];
  return { state, nonce, verifier, digest };
}

function readArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
