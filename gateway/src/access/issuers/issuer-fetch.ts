/** HTTP to an issuer, as openid-client wants it. */
import type { CustomFetch } from 'openid-client';
import { askIssuer, type IssuerNetwork } from './ask-issuer.ts';

/** Throws UpstreamFailure if there is no complete answer. */
export function issuerFetch(network: IssuerNetwork): CustomFetch {
  return async (address, { method, headers, body, signal = new AbortController().signal }) => {
    const bytes = Buffer.from(body === undefined || body === null ? '' : String(body));
    const answer = await askIssuer(network, {
      url: new URL(address),
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers },
      body: { length: bytes.length, pieces: () => [bytes] },
      signal,
    });
    const text = NO_BODY.includes(answer.status) ? null : answer.body.toString('utf8');
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
}

/** A Response with one of these statuses must not have a body. */
const NO_BODY: readonly number[] = [204, 205, 304];
