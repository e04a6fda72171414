/** A cluster that is reached by its address and, if it asks for one, a token. */
import type { Cluster } from '../../src/logs/kubernetes/cluster.ts';
import { readCredentials, tokenCredentials } from '../../src/logs/kubernetes/credentials.ts';

export function clusterAt(server: string, token: string | null = null): Cluster {
  const none = { headers: {}, certificate: null };
  const credentials = token === null ? readCredentials(() => Promise.resolve(none)) : tokenCredentials(token);
  return { server, tls: {}, headers: {}, proxy: null, credentials };
}
