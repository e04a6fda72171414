/** HTTP to an issuer, as openid-client wants it: small answers, short waits, no redirects, https only. */
import type { CustomFetch } from 'openid-client';
import { MIB } from '../../kernel/bytes.ts';
import type { Clock } from '../../kernel/time.ts';
import { isLoopback, type Proxies } from '../../net/proxies.ts';
import { TransferClient } from '../../net/transfer.ts';
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

/** Throws UpstreamFailure if there is no complete answer. */
export function issuerFetch({ clock, proxies }: IssuerNetwork): CustomFetch {
  return async (address, { method, headers, body, signal = new AbortController().signal }) => {
    const url = new URL(address);
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
    });
    const bytes = Buffer.from(body === undefined || body === null ? '' : String(body));
    const request = {
      method: method === 'POST' ? 'POST' : 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers },
      body: { length: bytes.length, pieces: () => [bytes] },
      signal,
    } as const;
    const answer = await client.ask(request, ANSWER_BYTES_MAX);
    const text = NO_BODY.includes(answer.status) ? null : answer.body.toString('utf8');
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
}

/** A Response with one of these statuses must not have a body. */
const NO_BODY: readonly number[] = [204, 205, 304];
