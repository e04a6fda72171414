/** A cluster that is reached by its address and, if it asks for one, a token. */
import type { Cluster } from '../../src/logs/kubernetes/cluster.ts';
import { bearer, readCredentials } from '../../src/logs/kubernetes/credentials.ts';

export function clusterAt(server: string, token: string | null = null): Cluster {
  const credential = { headers: token === null ? {} : bearer(token), certificate: null };
  const credentials = readCredentials(() => Promise.resolve(credential));
  return { server, tls: {}, headers: {}, proxy: null, credentials };
}
