/** How to reach the API of a cluster: its address, the certificates to trust, and the credentials to send. */
import type { ForwardProxy } from '../../net/proxies.ts';
import type { UpstreamTls } from '../../net/upstream.ts';
import type { CredentialSource } from './credentials.ts';

export interface Cluster {
  readonly server: string;
  /** What the server certificate is checked against. */
  readonly tls: Pick<UpstreamTls, 'ca' | 'serverName' | 'insecure'>;
  /** Sent with each request, besides those of the credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy: ForwardProxy | null;
  readonly credentials: CredentialSource;
}

/** The configuration of a cluster is missing or wrong. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
