/**
 * Fetches files from URLs that a provider returns. The provider's key is sent only to its own origin. Any
 * other host gets no key and must be reachable over https on the public internet.
 */
import { Problem } from '../kernel/problem.ts';
import { AddressGuard } from '../net/address-guard.ts';
import { TransferClient, type TransferReply } from '../net/transfer.ts';
import type { ProviderTools } from './provider.ts';
import { FileGone } from './video-provider.ts';

export interface ProviderFilesOptions {
  readonly baseUrl: string;
  /** Includes the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Hosts that the operator trusts: any IP address, and also over http. */
  readonly hosts?: readonly string[];
  problem(status: number, body: Buffer): Problem;
}

const REDIRECTS_MAX = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const GONE: readonly number[] = [404, 410];
const PLAIN = { accept: '*/*', 'user-agent': 'tollgate' };

export class ProviderFiles {
  readonly #options: ProviderFilesOptions;
  readonly #tools: ProviderTools;
  readonly #own: TransferClient;
  readonly #guard: AddressGuard;
  readonly #closing = new AbortController();

  constructor(options: ProviderFilesOptions, tools: ProviderTools) {
    this.#options = options;
    this.#tools = tools;
    this.#own = new TransferClient({ baseUrl: new URL(options.baseUrl).origin, ...tools });
    this.#guard = new AddressGuard({ allowed: options.hosts ?? [] });
  }

  close(): void {
    this.#closing.abort();
    this.#own.close();
  }

  /** Throws FileGone, or a Problem if the file cannot be fetched. */
  async *open(address: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const reply = await this.#follow(address, AbortSignal.any([signal, this.#closing.signal]));
    if (reply.status === 200) {
      yield* reply.pieces();
      return;
    }
    reply.discard();
    if (GONE.includes(reply.status)) throw new FileGone('the provider does not have the file any more');
    throw this.#options.problem(reply.status, Buffer.alloc(0));
  }

  async #follow(address: string, signal: AbortSignal): Promise<TransferReply> {
    let next = address;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      if (!URL.canParse(next)) throw notFetched(new Error('not a URL'));
      const url = new URL(next);
      const reply = await this.#ask(url, signal);
      const { location } = reply.headers;
      if (!REDIRECTS.includes(reply.status) || location === undefined) return reply;
      reply.discard();
      if (!URL.canParse(location, url)) throw notFetched(new Error('a redirect without a URL'));
      next = new URL(location, url).href;
    }
    throw notFetched(new Error(`redirected more than ${REDIRECTS_MAX} times`));
  }

  async #ask(url: URL, signal: AbortSignal): Promise<TransferReply> {
    const request = { method: 'GET' as const, path: url.pathname + url.search, signal };
    if (isOwnOrigin(url, this.#options.baseUrl)) {
      return await this.#own.send({ ...request, headers: this.#options.headers });
    }
    const { addresses } = await this.#guard
      .check(url.href, { param: 'file', schemes: ['https'] })
      .catch((error: unknown) => {
        throw notFetched(error);
      });
    const client = new TransferClient({ baseUrl: url.origin, ...this.#tools, addresses });
    return await client.send({ ...request, headers: PLAIN });
  }
}

/** Whether a URL has the same scheme, host and port as the provider. Pure. */
export function isOwnOrigin(url: URL, baseUrl: string): boolean {
  return url.origin === new URL(baseUrl).origin && url.username === '' && url.password === '';
}

function notFetched(cause: unknown): Problem {
  return new Problem('upstream_error', {
    detail: 'The provider returned a file URL that the gateway does not fetch from.',
    cause,
  });
}
