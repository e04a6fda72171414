/** The ways to sign in that the configuration allows. Pure. */
import { Problem } from '../kernel/problem.ts';
import type { IssuerSettings } from './issuers/issuer-settings.ts';

export interface SignInSettings {
  /** Whether passwords, and links that were not created in a shell, sign in. */
  readonly password: boolean;
  /** Whether command lines sign in by a code that is confirmed in a browser. */
  readonly device: boolean;
  readonly issuers: readonly IssuerSettings[];
}

export const PASSWORD_ONLY: SignInSettings = { password: true, device: true, issuers: [] };

/** How a session began. */
export type SessionOrigin = 'password' | 'link' | `issuer:${string}`;

/** Who created a sign-in link: an operator in a shell, or an operator in the console. */
export type LinkOrigin = 'shell' | 'console';

/** The name of the issuer that opened the session; null for any other way. */
export function issuerOf(origin: SessionOrigin): string | null {
  return origin.startsWith('issuer:') ? origin.slice('issuer:'.length) : null;
}

/** Switching a way off, or removing an issuer, also ends the sessions that began there. */
export function isSessionAccepted(openedBy: SessionOrigin, settings: SignInSettings): boolean {
  const issuer = issuerOf(openedBy);
  if (issuer !== null) return settings.issuers.some(({ name }) => name === issuer);
  return openedBy === 'link' || settings.password;
}

export function checkPasswordAllowed(settings: SignInSettings): void {
  if (settings.password) return;
  throw new Problem('sign_in_not_allowed', {
    detail: `Passwords are switched off on this server. Sign in with ${issuerLabels(settings)}.`,
  });
}

/** A link from a shell is the way back in when an issuer is down or misconfigured, so it always works. */
export function checkLinkAllowed(madeBy: LinkOrigin, settings: SignInSettings): void {
  if (settings.password || madeBy !== 'console') return;
  throw new Problem('sign_in_not_allowed', {
    detail: `Sign-in links are switched off on this server. Sign in with ${issuerLabels(settings)}.`,
  });
}

export function checkDeviceAllowed({ device }: SignInSettings): void {
  if (device) return;
  throw new Problem('sign_in_not_allowed', {
    detail:
      'Signing in by a code is switched off on this server. Use "tollgate login --email EMAIL", or "--link LINK" with a link from an operator.',
  });
}

export function issuerLabels({ issuers }: SignInSettings): string {
  return issuers.map(({ label }) => label).join(' or ');
}
