/** Reads the section `sign_in` of tollgate.yaml. */
import type { IssuerSettings } from '../access/issuers/issuer-settings.ts';
import type { SignInSettings } from '../access/sign-in-ways.ts';
import { ConfigError } from '../catalog/config-error.ts';
import type { SignInEntry } from '../catalog/sign-in-entry.ts';
import { Secret } from '../kernel/secret.ts';
import { isLoopback } from '../net/proxies.ts';

type IssuerEntry = NonNullable<SignInEntry['issuers']>[number];

const SCOPES: readonly string[] = ['openid', 'email', 'profile'];
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const SCOPE = /^[!#-[\]-~]+$/;
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** `publicUrl` and `host`: where browsers come back to from an issuer. */
export function readSignIn(
  entry: SignInEntry = {},
  server: { publicUrl: string | null; host: string },
): SignInSettings {
  const { password = true, issuers: entries = [] } = entry;
  const issuers = entries.map(readIssuer);
  const twice = issuers.find(({ name }, i) => issuers.findIndex((other) => other.name === name) < i);
  if (twice !== undefined) throw new ConfigError(`sign_in.issuers has two issuers named ${twice.name}.`);
  if (!password && issuers.length === 0) {
    throw new ConfigError('sign_in.password is false, so sign_in.issuers needs an issuer to sign in with.');
  }
  if (issuers.length > 0 && server.publicUrl === null && !isLoopback(server.host)) {
    throw new ConfigError(
      'sign_in.issuers needs server.public_url: the address to which an issuer sends browsers back.',
    );
  }
  return { password, issuers };
}

function readIssuer(entry: IssuerEntry, index: number): IssuerSettings {
  const { claims = {}, scopes = [], domains = [] } = entry;
  const place = `sign_in.issuers[${index}]`;
  checkWord(entry.name, NAME, `${place}.name`, 'lower-case letters, digits and "-", at most 40 characters');
  for (const scope of scopes) checkWord(scope, SCOPE, `${place}.scopes`, 'a scope without spaces');
  for (const domain of domains)
    checkWord(domain, DOMAIN, `${place}.domains`, 'a domain, such as example.com');
  return {
    name: entry.name,
    label: entry.label ?? entry.name,
    issuer: readIssuerUrl(entry.issuer, `${place}.issuer`),
    clientId: entry.client_id,
    clientSecret: new Secret(entry.client_secret),
    clientAuth: entry.client_auth ?? null,
    scopes: scopes.length === 0 ? SCOPES : [...new Set(['openid', ...scopes])],
    claims: {
      email: claims.email ?? 'email',
      name: claims.name ?? 'name',
      groups: claims.groups ?? 'groups',
    },
    operators: entry.operators ?? [],
    spaces: entry.spaces ?? [],
    domains: entry.domains?.map((domain) => domain.toLowerCase()) ?? null,
    allowUnverifiedEmail: entry.allow_unverified_email ?? false,
  };
}

function checkWord(text: string, form: RegExp, place: string, allowed: string): void {
  if (!form.test(text))
    throw new ConfigError(`${place}: ${JSON.stringify(text)} is not valid. Write ${allowed}.`);
}

/** Codes and secrets pass there, so http is only for this machine. */
function readIssuerUrl(text: string, place: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.search + url.hash + url.username + url.password !== ''
  ) {
    throw new ConfigError(`${place} is ${JSON.stringify(text)}. It must be like https://login.example.com.`);
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return text;
  throw new ConfigError(`${place} is ${JSON.stringify(text)}. It must begin with https://.`);
}
