/** The credentials of a user entry: a token, a password, a client certificate, a plugin or an auth provider. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Clock } from '../../kernel/time.ts';
import { type AuthProviderEntry, authProviderCredentials } from './auth-provider.ts';
import { ClusterError } from './cluster.ts';
import { bearer, type ClusterCredential, type CredentialSource, readCredentials } from './credentials.ts';
import { type ExecEntry, execCredentials } from './exec-plugin.ts';

export interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: ExecEntry | null;
  readonly 'auth-provider'?: AuthProviderEntry | null;
  readonly as?: string;
  readonly 'as-uid'?: string;
  readonly 'as-groups'?: readonly string[];
  readonly 'as-user-extra'?: object;
}

export interface UserOptions {
  /** Names the user and the file in errors. */
  readonly owner: string;
  /** The folder of the kubeconfig: relative paths start here. */
  readonly folder: string;
  readonly clusterInfo: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** A token or a password of the entry itself is used before a plugin, as kubectl does. */
export function userCredentials(user: UserEntry, options: UserOptions): CredentialSource {
  const { owner, folder } = options;
  const readHeaders = headersOf(user, folder);
  const readCertificate = certificateOf(user, options);
  const issuer =
    readHeaders !== null
      ? null
      : user.exec
        ? execCredentials(user.exec, options)
        : user['auth-provider']
          ? authProviderCredentials(user['auth-provider'], options)
          : null;
  if (user.exec && user['auth-provider']) {
    throw new ClusterError(`${owner}: exec and auth-provider cannot be used together.`);
  }
  if (issuer === null) {
    return readCredentials(async () => ({
      headers: readHeaders === null ? {} : await readHeaders(),
      certificate: await readCertificate(),
    }));
  }
  return {
    current: async () => {
      const { headers, certificate } = await issuer.current();
      return { headers, certificate: certificate ?? (await readCertificate()) };
    },
    reject: (credential) => issuer.reject(credential),
    close: () => issuer.close(),
  };
}

/** Null: the entry holds neither a token nor a password. */
function headersOf(user: UserEntry, folder: string): (() => Promise<Record<string, string>>) | null {
  const { token, tokenFile, username, password } = user;
  if (tokenFile) return async () => bearer((await readFile(resolve(folder, tokenFile), 'utf8')).trim());
  if (token) return () => Promise.resolve(bearer(token));
  if (!username) return null;
  const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  return () => Promise.resolve({ authorization: `Basic ${basic}` });
}

function certificateOf(
  user: UserEntry,
  { owner, folder }: UserOptions,
): () => Promise<ClusterCredential['certificate']> {
  const cert = pemOf(user['client-certificate-data'], user['client-certificate'], folder);
  const key = pemOf(user['client-key-data'], user['client-key'], folder);
  if (cert === null && key === null) return () => Promise.resolve(null);
  if (cert === null || key === null) {
    throw new ClusterError(`${owner}: a client certificate needs both client-certificate and client-key.`);
  }
  return async () => ({ cert: await cert(), key: await key() });
}

/** From the kubeconfig itself, or from a file that it names. */
function pemOf(
  data: string | undefined,
  path: string | undefined,
  folder: string,
): (() => Promise<string>) | null {
  if (data) return () => Promise.resolve(Buffer.from(data, 'base64').toString('utf8'));
  return path ? () => readFile(resolve(folder, path), 'utf8') : null;
}

/** The headers for acting as another user. */
export function impersonationOf(user: UserEntry, owner: string): Record<string, string> {
  const { as, 'as-uid': uid, 'as-groups': groups = [], 'as-user-extra': extra } = user;
  if (groups.length > 1 || extra !== undefined) {
    throw new ClusterError(`${owner}: as-user-extra and more than one entry of as-groups are not supported.`);
  }
  return {
    ...(as && { 'impersonate-user': as }),
    ...(uid && { 'impersonate-uid': uid }),
    ...(groups[0] && { 'impersonate-group': groups[0] }),
  };
}
