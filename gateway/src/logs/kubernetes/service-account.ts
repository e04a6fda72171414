/** The cluster that this process runs in, with the service account of its own pod. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Cluster, ClusterError } from './cluster.ts';
import { bearer, readCredentials } from './credentials.ts';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export function ownCluster(env: Readonly<Record<string, string | undefined>>, account = ACCOUNT): Cluster {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host === undefined || !existsSync(`${account}/token`)) {
    throw new ClusterError('This process does not run in a pod with a service account.');
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(`${account}/ca.crt`, 'utf8') },
    headers: {},
    proxy: null,
    // The kubelet replaces the token about once an hour.
    credentials: readCredentials(async () => ({
      headers: bearer((await readFile(`${account}/token`, 'utf8')).trim()),
      certificate: null,
    })),
  };
}
