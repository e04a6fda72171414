/** Reads the section `sign_in` of tollgate.yaml. */
import type { IssuerSettings } from '../access/issuers/issuer-settings.ts';
import type { SignInSettings } from '../access/sign-in-ways.ts';
import { signInDefaults } from '../config/config-defaults.ts';
import type { SignInEntry } from '../config/sign-in-entry.ts';
import { Secret } from '../kernel/secret.ts';
import { isLoopback } from '../net/proxies.ts';
import { ConfigError } from '../yaml/config-error.ts';
import { ConfigProblems } from '../yaml/config-problems.ts';

type IssuerEntry = NonNullable<SignInEntry['issuers']>[number];

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const SCOPE = /^[!#-[\]-~]+$/;
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** `publicUrl` and `host`: where browsers come back to from an issuer. */
export function readSignIn(
  entry: SignInEntry = {},
  server: { publicUrl: string | null; host: string },
): SignInSettings {
  const { password = signInDefaults.password, device = signInDefaults.device, issuers: entries = [] } = entry;
  const problems = new ConfigProblems();
  const issuers = entries.map((one, index) => readIssuer(one, index, problems));
  for (const [i, { name }] of issuers.entries()) {
    if (issuers.findIndex((other) => other.name === name) === i) continue;
    const path = `sign_in.issuers[${i}].name`;
    problems.add(new ConfigError(`sign_in.issuers has two issuers named ${name}.`, path));
  }
  if (!password && issuers.length === 0) {
    problems.add(
      new ConfigError(
        'sign_in.password is false, so sign_in.issuers needs an issuer to sign in with.',
        'sign_in.password',
      ),
    );
  }
  if (issuers.length > 0 && server.publicUrl === null && !isLoopback(server.host)) {
    problems.add(
      new ConfigError(
        'sign_in.issuers needs server.public_url: the address to which an issuer sends browsers back.',
        'sign_in.issuers',
      ),
    );
  }
  problems.throwAny();
  return { password, device, issuers };
}

function readIssuer(entry: IssuerEntry, index: number, problems: ConfigProblems): IssuerSettings {
  const { claims = {}, scopes = [], domains = [] } = entry;
  const place = `sign_in.issuers[${index}]`;
  const check = (text: string, form: RegExp, key: string, allowed: string): void =>
    void problems.attempt(() => checkWord(text, form, `${place}.${key}`, allowed));
  check(entry.name, NAME, 'name', 'lower-case letters, digits and "-", at most 40 characters');
  for (const scope of scopes) check(scope, SCOPE, 'scopes', 'a scope without spaces');
  for (const domain of domains) check(domain, DOMAIN, 'domains', 'a domain, such as example.com');
  return {
    name: entry.name,
    label: entry.label ?? entry.name,
    issuer: problems.attempt(() => readIssuerUrl(entry.issuer, `${place}.issuer`)) ?? '',
    clientId: entry.client_id,
    clientSecret: new Secret(entry.client_secret),
    clientAuth: entry.client_auth ?? null,
    scopes: scopes.length === 0 ? signInDefaults.scopes : [...new Set(['openid', ...scopes])],
    claims: { ...signInDefaults.claims, ...claims },
    operators: entry.operators ?? [],
    spaces: entry.spaces ?? [],
    domains: entry.domains?.map((domain) => domain.toLowerCase()) ?? null,
    allowUnverifiedEmail: entry.allow_unverified_email ?? signInDefaults.allowUnverifiedEmail,
  };
}

function checkWord(text: string, form: RegExp, place: string, allowed: string): void {
  if (!form.test(text))
    throw new ConfigError(`${place}: ${JSON.stringify(text)} is not valid. Write ${allowed}.`, place);
}

/** Codes and secrets pass there, so http is only for this machine. */
function readIssuerUrl(text: string, place: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.search + url.hash + url.username + url.password !== ''
  ) {
    // Not shown, because it may contain a password.
    throw ConfigError.at(place, 'must be like https://login.example.com, without a user or a query.');
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return text;
  throw ConfigError.at(place, `is ${JSON.stringify(text)}. It must begin with https://.`);
}
