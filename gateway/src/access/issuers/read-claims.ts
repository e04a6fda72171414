/** Reads the claims of an issuer about a person: their address, name and groups, and whether they may sign in. Pure. */
import { Problem } from '../../kernel/problem.ts';
import type { IssuerSettings } from './issuer-settings.ts';

export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

export interface ClaimedPerson {
  /** The id of their account at the issuer. */
  readonly subject: string;
  readonly email: string;
  readonly nickname: string;
  readonly groups: ReadonlySet<string>;
}

/**
 * ASCII only: databases and languages disagree on the lower case of other letters, so that two addresses could become
 * one person.
 */
const ADDRESS = /^[!-?A-~]{1,64}@([A-Za-z0-9.-]{1,190})$/;
const NICKNAME_CHARACTERS_MAX = 100;
const SUBJECT_CHARACTERS_MAX = 255;

export function claimsNeeded({ claims, operators, spaces, allowUnverifiedEmail }: IssuerSettings): string[] {
  const groups = operators.length + spaces.length > 0 ? [claims.groups] : [];
  return [claims.email, ...(allowUnverifiedEmail ? [] : ['email_verified']), ...groups];
}

/** The claims of the ID token and of the issuer's userinfo. An address is only as verified as its own source says. */
export function mergeClaims(
  idToken: Claims,
  userInfo: Readonly<Record<string, unknown>>,
  { claims }: IssuerSettings,
): Claims {
  const source = userInfo[claims.email] === undefined ? idToken : userInfo;
  return { ...idToken, ...userInfo, sub: idToken.sub, email_verified: source.email_verified };
}

/** Throws a 403 if the issuer may not sign this address in. `others`: the other issuers. */
export function readClaims(
  claims: Claims,
  settings: IssuerSettings,
  others: readonly IssuerSettings[],
): ClaimedPerson {
  const { label } = settings;
  const email = claims[settings.claims.email];
  const domain = typeof email === 'string' ? ADDRESS.exec(email)?.[1]?.toLowerCase() : undefined;
  if (typeof email !== 'string' || domain === undefined) {
    throw notAllowed(`${label} sent no usable e-mail address for your account.`);
  }
  const { email_verified: verified } = claims;
  if (!settings.allowUnverifiedEmail && verified !== true && verified !== 'true') {
    throw notAllowed(`${label} has not verified the e-mail address ${email}. Verify it there, then sign in.`);
  }
  if (!mayUseDomain(domain, settings, others)) {
    throw notAllowed(`${label} may not sign in addresses of ${domain}.`);
  }
  if (claims.sub.length > SUBJECT_CHARACTERS_MAX)
    throw notAllowed(`${label} sent an account id that is too long.`);
  return {
    subject: claims.sub,
    email,
    nickname: nicknameOf(claims, settings, email),
    groups: groupsOf(claims, settings),
  };
}

/** A domain that some issuers list belongs to them: no other issuer can sign in its addresses. */
function mayUseDomain(domain: string, settings: IssuerSettings, others: readonly IssuerSettings[]): boolean {
  if (settings.domains !== null) return settings.domains.includes(domain);
  return !others.some(({ domains }) => domains?.includes(domain) ?? false);
}

function nicknameOf(claims: Claims, settings: IssuerSettings, email: string): string {
  const name = claims[settings.claims.name];
  const shown = typeof name === 'string' ? name.replaceAll(/\p{C}/gu, '').trim() : '';
  return [...(shown || (email.split('@')[0] as string))].slice(0, NICKNAME_CHARACTERS_MAX).join('');
}

/** None if the claim is missing: many issuers leave it out for people without groups. */
function groupsOf(claims: Claims, settings: IssuerSettings): ReadonlySet<string> {
  const { label } = settings;
  const name = settings.claims.groups;
  const elsewhere = claims._claim_names;
  if (typeof elsewhere === 'object' && elsewhere !== null && name in elsewhere) {
    // Entra ID does so for people in many groups. Without the list, rights would be removed by mistake.
    throw notAllowed(`${label} did not send your groups because there are too many.`);
  }
  const value = claims[name];
  const groups = Array.isArray(value) ? value : [value];
  return new Set(groups.filter((group) => typeof group === 'string'));
}

function notAllowed(what: string): Problem {
  return new Problem('sign_in_not_allowed', { detail: `${what} Ask your operator if you need access.` });
}
