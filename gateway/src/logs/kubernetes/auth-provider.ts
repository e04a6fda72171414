/**
 * The `auth-provider` entry `oidc` of kubeconfigs. kubectl replaced all others with plugins (exec-plugin.ts); a
 * kubeconfig that still has one is rejected.
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

export interface AuthProviderEntry {
  readonly name?: string;
  readonly config?: Readonly<Record<string, string | undefined>> | null;
}

export interface AuthProviderOptions {
  /** Names the user and the file in errors. */
  readonly owner: string;
  readonly clock: Clock;
  /** The folder of the kubeconfig: relative paths start here. */
  readonly folder: string;
}

const EXPIRY_MARGIN_MS = 10_000;
/** What replaces a provider that kubectl removed in version 1.26. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  gcp: 'Install gke-gcloud-auth-plugin and run "gcloud container clusters get-credentials" again.',
  azure: 'Install kubelogin and run "kubelogin convert-kubeconfig".',
};

export function authProviderCredentials(
  { name = '', config }: AuthProviderEntry,
  options: AuthProviderOptions,
): CredentialSource {
  if (name === 'oidc') return oidcCredentials(config ?? {}, options);
  const instead = REPLACEMENTS[name] ?? 'Use oidc, or a plugin (exec).';
  throw new ClusterError(
    `${options.owner}: auth-provider ${JSON.stringify(name)} is not supported. ${instead}`,
  );
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
