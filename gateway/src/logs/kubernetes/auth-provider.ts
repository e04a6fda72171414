/**
 * The `auth-provider` entries of older kubeconfigs: `gcp`, `azure` and `oidc`. kubectl replaced the first two
 * with plugins (exec-plugin.ts) in version 1.26; a stored token still works until it expires.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock, Instant } from '../../kernel/time.ts';
import { ClusterError } from './cluster.ts';
import {
  bearer,
  CachedCredentials,
  CredentialError,
  type CredentialSource,
  type IssuedCredential,
} from './credentials.ts';
import { type OidcConfig, refreshIdToken } from './oidc-refresh.ts';
import { runProgram } from './run-program.ts';

export interface AuthProviderEntry {
  readonly name?: string;
  readonly config?: Readonly<Record<string, string | undefined>> | null;
}

export interface AuthProviderOptions {
  /** Names the user and the file in errors. */
  readonly owner: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The folder of the kubeconfig: relative paths start here. */
  readonly folder: string;
}

const EXPIRY_MARGIN_MS = 10_000;
/** What replaces a provider whose token cannot be renewed here. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  gcp: 'Install gke-gcloud-auth-plugin and run "gcloud container clusters get-credentials" again.',
  azure: 'Install kubelogin and run "kubelogin convert-kubeconfig".',
};

export function authProviderCredentials(
  { name = '', config }: AuthProviderEntry,
  options: AuthProviderOptions,
): CredentialSource {
  const settings = config ?? {};
  const { owner, clock } = options;
  if (name === 'oidc') return oidcCredentials(settings, options);
  if (!Object.hasOwn(REPLACEMENTS, name)) {
    throw new ClusterError(
      `${owner}: auth-provider ${JSON.stringify(name)} is not supported. Supported are gcp, azure and oidc, and plugins (exec).`,
    );
  }
  let stored: IssuedCredential | null = storedToken(settings);
  return new CachedCredentials(async (signal) => {
    const first = stored;
    stored = null;
    if (first !== null && isValid(first.expiresAt, clock)) return first;
    if (settings['cmd-path'] === undefined) {
      throw new CredentialError(
        `${owner}: the token of auth-provider ${name} has expired or was rejected. ${REPLACEMENTS[name]}`,
      );
    }
    return await runTokenCommand(settings, options, signal);
  }, clock);
}

/** Null: the entry holds no token. */
function storedToken(settings: Readonly<Record<string, string | undefined>>): IssuedCredential | null {
  const token = settings['access-token'];
  if (token === undefined || token === '') return null;
  const { expiry, 'expires-on': expiresOn } = settings;
  const expiresAt =
    expiresOn !== undefined ? Number(expiresOn) * 1000 : expiry !== undefined ? Date.parse(expiry) : null;
  return issued(token, expiresAt);
}

/** A command that prints JSON, in which `token-key` and `expiry-key` name the fields. */
async function runTokenCommand(
  settings: Readonly<Record<string, string | undefined>>,
  { owner, env, clock }: AuthProviderOptions,
  signal: AbortSignal,
): Promise<IssuedCredential> {
  const command = settings['cmd-path'] ?? '';
  const args = (settings['cmd-args'] ?? '').split(' ').filter((arg) => arg !== '');
  const text = await runProgram({ command, args, env }, clock, signal);
  const token = fieldOf(text, settings['token-key'] ?? '{.access_token}');
  const expiry = fieldOf(text, settings['expiry-key'] ?? '{.token_expiry}');
  if (token === null) throw new CredentialError(`${owner}: the program ${command} did not print a token.`);
  return issued(token, expiry === null ? null : Date.parse(expiry));
}

/** `{.credential.access_token}`: the only form of JSONPath that these entries use. */
function fieldOf(text: string, path: string): string | null {
  try {
    let value: unknown = JSON.parse(text);
    for (const name of path.replace(/^\{?\.?|\}$/g, '').split('.'))
      value = (value as Record<string, unknown>)[name];
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    return null;
  }
}

function oidcCredentials(
  settings: Readonly<Record<string, string | undefined>>,
  options: AuthProviderOptions,
): CredentialSource {
  const { owner, clock, folder } = options;
  const issuer = settings['idp-issuer-url'];
  const clientId = settings['client-id'];
  if (issuer === undefined || clientId === undefined) {
    throw new ClusterError(`${owner}: auth-provider oidc needs idp-issuer-url and client-id.`);
  }
  const data = settings['idp-certificate-authority-data'];
  const file = settings['idp-certificate-authority'];
  const ca =
    data !== undefined
      ? Buffer.from(data, 'base64').toString('utf8')
      : file !== undefined
        ? readFileSync(resolve(folder, file), 'utf8')
        : null;
  const oidc: OidcConfig = { issuer, clientId, clientSecret: settings['client-secret'] ?? null, ca };
  let idToken = settings['id-token'] ?? null;
  let refreshToken = settings['refresh-token'] ?? null;
  return new CachedCredentials(async () => {
    const first = idToken;
    idToken = null;
    if (first !== null && isValid(expiryOf(first), clock)) return issued(first, expiryOf(first));
    if (refreshToken === null) {
      throw new CredentialError(
        `${owner}: the id-token has expired and there is no refresh-token. Sign in again.`,
      );
    }
    const renewed = await refreshIdToken(oidc, refreshToken, clock);
    // The kubeconfig is not written: a renewed refresh token is kept in memory only.
    refreshToken = renewed.refreshToken ?? refreshToken;
    return issued(renewed.idToken, expiryOf(renewed.idToken));
  }, clock);
}

/** The `exp` claim of a JWT; null if it cannot be read. */
function expiryOf(idToken: string): Instant | null {
  try {
    const claims = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8')) as {
      exp?: unknown;
    };
    return typeof claims.exp === 'number' ? claims.exp * 1000 : null;
  } catch {
    return null;
  }
}

function issued(token: string, expiresAt: Instant | null): IssuedCredential {
  const known = expiresAt !== null && Number.isFinite(expiresAt) ? expiresAt : null;
  return { credential: { headers: bearer(token), certificate: null }, expiresAt: known };
}

function isValid(expiresAt: Instant | null, clock: Clock): boolean {
  return expiresAt === null || clock.now() < expiresAt - EXPIRY_MARGIN_MS;
}
