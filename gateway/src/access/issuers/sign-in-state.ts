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
  readonly target: SignInTarget;
}

/** Where to go after signing in: a path of the console, or the command line that waits on a port of this machine. */
export type SignInTarget = string | CommandLine;

export interface CommandLine {
  readonly port: number;
  /** The digest of a secret that only the command line knows. */
  readonly challenge: string;
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
  return typeof target === 'string' || isCommandLine(target) ? { issuer, expiresAt, target } : null;
}

/** Only ports that programs without privileges listen on. */
export function isCommandLine(value: unknown): value is CommandLine {
  const { port, challenge } = (value ?? {}) as Partial<CommandLine>;
  const isPort = Number.isInteger(port) && (port as number) >= 1_024 && (port as number) <= 65_535;
  return isPort && typeof challenge === 'string' && /^[0-9a-f]{64}$/.test(challenge);
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
