/** Where a cluster is and who we are to it: from a kubeconfig file, or from the account of our own pod. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { UpstreamTls } from '../../net/upstream.ts';

export interface Cluster {
  readonly server: string;
  readonly tls: UpstreamTls;
  /** Read anew for each request: the tokens of pods are replaced while they run. */
  readonly headers: () => Record<string, string>;
}

export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

interface Named<T> {
  readonly name: string;
  readonly value: T;
}
interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
}
interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: unknown;
  readonly 'auth-provider'?: unknown;
}
interface KubeconfigFile {
  readonly 'current-context'?: string;
  readonly clusters?: ReadonlyArray<{ name: string; cluster: ClusterEntry }>;
  readonly users?: ReadonlyArray<{ name: string; user: UserEntry }>;
  readonly contexts?: ReadonlyArray<{ name: string; context: { cluster: string; user: string } }>;
}

/** The cluster that the pod we run in belongs to. */
export function ownCluster(env: Readonly<Record<string, string | undefined>>, account = ACCOUNT): Cluster {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host === undefined || !existsSync(`${account}/token`)) {
    throw new ClusterError('This process does not run in a pod with a service account.');
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(`${account}/ca.crt`, 'utf8') },
    headers: () => ({ authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8').trim()}` }),
  };
}

export function readKubeconfig(file: string): Cluster {
  const config = parse(readFileSync(file, 'utf8')) as KubeconfigFile;
  const folder = dirname(resolve(file));
  const context = find(
    config.contexts?.map(({ name, context: value }) => ({ name, value })),
    config['current-context'],
    'context',
  );
  const cluster = find(
    config.clusters?.map(({ name, cluster: value }) => ({ name, value })),
    context.cluster,
    'cluster',
  );
  const user = find(
    config.users?.map(({ name, user: value }) => ({ name, value })),
    context.user,
    'user',
  );
  if (user.exec !== undefined || user['auth-provider'] !== undefined) {
    throw new ClusterError(
      `The user ${context.user} of ${file} signs in by a program, which is not supported here: use a token or a certificate.`,
    );
  }
  if (cluster.server === undefined)
    throw new ClusterError(`The cluster ${context.cluster} of ${file} has no server.`);
  const ca = pem(cluster['certificate-authority-data'], cluster['certificate-authority'], folder);
  const cert = pem(user['client-certificate-data'], user['client-certificate'], folder);
  const key = pem(user['client-key-data'], user['client-key'], folder);
  const serverName = cluster['tls-server-name'];
  return {
    server: cluster.server,
    tls: {
      ...(ca !== null && { ca }),
      ...(cert !== null && { cert }),
      ...(key !== null && { key }),
      ...(serverName !== undefined && { serverName }),
      ...(cluster['insecure-skip-tls-verify'] === true && { insecure: true }),
    },
    headers: () => credentials(user, folder),
  };
}

function credentials(user: UserEntry, folder: string): Record<string, string> {
  const { token, tokenFile, username, password } = user;
  if (tokenFile !== undefined) {
    return { authorization: `Bearer ${readFileSync(resolve(folder, tokenFile), 'utf8').trim()}` };
  }
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (username === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
}

function find<T>(entries: ReadonlyArray<Named<T>> | undefined, name: string | undefined, what: string): T {
  const entry = entries?.find((one) => one.name === name);
  if (entry === undefined)
    throw new ClusterError(`The kubeconfig has no ${what} ${JSON.stringify(name ?? '')}.`);
  return entry.value;
}

/** In the file itself, or in a file beside it. */
function pem(data: string | undefined, path: string | undefined, folder: string): string | null {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  return path === undefined ? null : readFileSync(resolve(folder, path), 'utf8');
}
