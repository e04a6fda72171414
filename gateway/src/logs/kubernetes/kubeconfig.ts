/** Reads kubeconfig files as kubectl does: the cluster and the user of the current context. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Clock } from '../../kernel/time.ts';
import { type ForwardProxy, readProxyAddress } from '../../net/proxies.ts';
import { type Cluster, ClusterError } from './cluster.ts';
import { impersonationOf, type UserEntry, userCredentials } from './user-credentials.ts';

interface ClusterEntry {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
  readonly extensions?: ReadonlyArray<{ readonly name: string; readonly extension: unknown }> | null;
}

interface ContextEntry {
  readonly cluster: string;
  readonly user: string;
}

interface KubeconfigFile {
  readonly 'current-context'?: string;
  readonly clusters?: ReadonlyArray<{ name: string; cluster?: ClusterEntry | null }> | null;
  readonly users?: ReadonlyArray<{ name: string; user?: UserEntry | null }> | null;
  readonly contexts?: ReadonlyArray<{ name: string; context?: ContextEntry | null }> | null;
}

interface Found<Entry> {
  readonly entry: Entry;
  readonly file: string;
}

export interface KubeconfigOptions {
  /** The environment of plugins. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** The extension of a cluster entry that is sent to plugins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** `paths` is the value of KUBECONFIG: one file, or several whose entries are merged. */
export function readKubeconfig(paths: string, options: KubeconfigOptions): Cluster {
  const files = readFiles(paths);
  const current =
    files.map(({ config }) => config['current-context'] ?? '').find((name) => name !== '') ?? '';
  const context = find(files, 'context', current, ({ contexts }) => named(contexts, current)?.context);
  const { cluster: clusterName, user: userName } = context.entry;
  const cluster = find(
    files,
    'cluster',
    clusterName,
    (config) => named(config.clusters, clusterName)?.cluster,
  );
  const user = find(files, 'user', userName, ({ users }) => named(users, userName)?.user);
  const { server } = cluster.entry;
  if (!server) throw new ClusterError(`The cluster ${clusterName} of ${cluster.file} has no server.`);
  const owner = `The user ${userName} of ${user.file}`;
  const ca = readCa(cluster);
  return {
    server,
    tls: {
      ...(ca !== null && { ca }),
      ...(cluster.entry['tls-server-name'] && { serverName: cluster.entry['tls-server-name'] }),
      ...(cluster.entry['insecure-skip-tls-verify'] === true && { insecure: true }),
    },
    proxy: readClusterProxy(cluster),
    headers: impersonationOf(user.entry, owner),
    credentials: userCredentials(user.entry, {
      ...options,
      owner,
      folder: dirname(user.file),
      clusterInfo: clusterInfoOf(cluster.entry, ca),
    }),
  };
}

/** Files that do not exist are skipped, as long as there is one. */
function readFiles(paths: string): Array<{ file: string; config: KubeconfigFile }> {
  const files = paths
    .split(delimiter)
    .filter((path) => path !== '')
    .map((path) => resolve(path));
  const existing = files.length === 1 ? files : files.filter((file) => existsSync(file));
  if (existing.length === 0) throw new ClusterError(`No kubeconfig exists at ${paths}.`);
  return existing.map((file) => ({ file, config: readConfig(file) }));
}

function readConfig(file: string): KubeconfigFile {
  try {
    return (parse(readText(file)) ?? {}) as KubeconfigFile;
  } catch (error) {
    if (error instanceof ClusterError) throw error;
    throw new ClusterError(`The kubeconfig ${file} is not valid YAML: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function named<Entry extends { name: string }>(
  entries: readonly Entry[] | null | undefined,
  name: string,
): Entry | undefined {
  return entries?.find((entry) => entry.name === name);
}

/** The first file that has the entry wins. */
function find<Entry>(
  files: ReadonlyArray<{ file: string; config: KubeconfigFile }>,
  kind: string,
  name: string,
  select: (config: KubeconfigFile) => Entry | null | undefined,
): Found<Entry> {
  for (const { file, config } of files) {
    const entry = select(config);
    if (entry != null) return { entry, file };
  }
  throw new ClusterError(`The kubeconfig has no ${kind} ${JSON.stringify(name)}.`);
}

function readCa({ entry, file }: Found<ClusterEntry>): string | null {
  const { 'certificate-authority-data': data, 'certificate-authority': path } = entry;
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  return path ? readText(resolve(dirname(file), path)) : null;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClusterError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function readClusterProxy({ entry, file }: Found<ClusterEntry>): ForwardProxy | null {
  const url = entry['proxy-url'];
  if (!url) return null;
  const proxy = readProxyAddress(url);
  if (proxy !== null) return proxy;
  throw new ClusterError(`The proxy-url of ${file} must be an http, https or socks5 URL.`);
}

/** What plugins with `provideClusterInfo` receive. */
function clusterInfoOf(entry: ClusterEntry, ca: string | null): Record<string, unknown> {
  const config = entry.extensions?.find(({ name }) => name === EXEC_EXTENSION)?.extension;
  return {
    server: entry.server,
    ...(entry['tls-server-name'] && { 'tls-server-name': entry['tls-server-name'] }),
    ...(entry['insecure-skip-tls-verify'] === true && { 'insecure-skip-tls-verify': true }),
    ...(ca !== null && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(entry['proxy-url'] && { 'proxy-url': entry['proxy-url'] }),
    ...(config !== undefined && { config }),
  };
}
