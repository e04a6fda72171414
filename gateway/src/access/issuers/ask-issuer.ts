/** HTTP to an issuer: small answers, short waits, no redirects, https only. */
import { MIB } from '../../kernel/bytes.ts';
import type { Clock } from '../../kernel/time.ts';
import { isLoopback, type Proxies } from '../../net/proxies.ts';
import { TransferClient, type TransferReply, type TransferRequest } from '../../net/transfer.ts';
import { UpstreamFailure } from '../../net/upstream-call.ts';

/** Discovery documents, keys and tokens have a few kilobytes. */
const ANSWER_BYTES_MAX = MIB;
const CONNECT_MS = 3_000;
const SILENCE_MS = 5_000;
const TOTAL_MS = 8_000;

export interface IssuerNetwork {
  readonly clock: Clock;
  readonly proxies: Proxies;
}

export interface IssuerRequest extends Omit<TransferRequest, 'path'> {
  readonly url: URL;
  /** The certificates that the server is trusted by; left out: those of the system. */
  readonly ca?: string | undefined;
}

/** Throws UpstreamFailure if there is no complete answer. */
export async function askIssuer(
  { clock, proxies }: IssuerNetwork,
  { url, ca, ...request }: IssuerRequest,
): Promise<Pick<TransferReply, 'status' | 'headers'> & { body: Buffer }> {
  // A discovery document may name any endpoint; over http, someone on the way could answer for it.
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new UpstreamFailure('connect', new Error(`${url.host} is not an https endpoint`));
  }
  const client = new TransferClient({
    baseUrl: url.origin,
    clock,
    proxies,
    connectTimeoutMs: CONNECT_MS,
    silenceTimeoutMs: SILENCE_MS,
    callTotalMs: TOTAL_MS,
    transferTotalMs: TOTAL_MS,
    ...(ca !== undefined && { ca }),
  });
  return await client.ask({ ...request, path: `${url.pathname}${url.search}` }, ANSWER_BYTES_MAX);
}
