/**
 * Fetches the images and files of a call for providers that take only bytes. Each address is fetched once, however many
 * routes are tried; limits hold for all of them together, so that one call cannot make the gateway load for long.
 */
import { Problem } from '../../kernel/problem.ts';
import { sniffMedia } from '../../kernel/sniff-media.ts';
import { base64Pieces } from '../../media/resolve-media.ts';
import type { ByteLease } from '../../memory/byte-budget.ts';
import { type FetchTools, fetchPublicTo } from '../../net/fetch-public.ts';
import type { MediaSupport } from '../../providers/provider.ts';
import type { MediaAddress } from '../../text/media-address.ts';
import { typeOfExtension } from '../../text/media-types.ts';

/** In one call; no provider takes more. */
const ADDRESSES_MAX = 20;
const AT_ONCE = 4;
/** For all addresses of a call. */
const TOTAL_MS = 20_000;

export interface FetchedMedia {
  readonly mediaType: string;
  readonly bytes: number;
  readonly base64: readonly Buffer[];
}

export interface FetchContext {
  readonly media: MediaSupport;
  /** Counts what is held; null for lines of batches. */
  readonly lease: Pick<ByteLease, 'take'> | null;
  /** Ends the fetching when the caller leaves. */
  readonly signal: AbortSignal;
}

export class AddressFetcher {
  readonly #tools: FetchTools;
  readonly #fetched = new Map<string, FetchedMedia>();

  constructor(tools: FetchTools) {
    this.#tools = tools;
  }

  /** By their URL. Throws a Problem that names the field of the first that fails. */
  async fetch(
    addresses: readonly MediaAddress[],
    context: FetchContext,
  ): Promise<ReadonlyMap<string, FetchedMedia>> {
    const wanted = [...new Map(addresses.map((address) => [address.url, address])).values()];
    const [first] = wanted;
    if (first !== undefined && wanted.length > ADDRESSES_MAX) {
      throw invalid(first.param, `is one of more than ${ADDRESSES_MAX} addresses, the limit for this model`);
    }
    const missing = wanted.filter(({ url }) => !this.#fetched.has(url));
    if (missing.length > 0) await this.#fetchAll(missing, context);
    return this.#fetched;
  }

  async #fetchAll(addresses: readonly MediaAddress[], context: FetchContext): Promise<void> {
    const stop = new AbortController();
    const cancelTimer = this.#tools.clock.after(TOTAL_MS, () => stop.abort());
    const signal = AbortSignal.any([context.signal, stop.signal]);
    const left = { bytes: context.media.allBytesMax };
    const queue = [...addresses];
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        this.#fetched.set(next.url, await this.#fetchOne(next, { ...context, signal }, left));
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } finally {
      // After a failure the others are not needed.
      stop.abort();
      queue.length = 0;
      cancelTimer();
    }
  }

  async #fetchOne(
    address: MediaAddress,
    { media, lease, signal }: FetchContext,
    left: { bytes: number },
  ): Promise<FetchedMedia> {
    const { url, param } = address;
    const pieces: Buffer[] = [];
    const limits = { bytesMax: media.oneBytesMax, totalMs: TOTAL_MS };
    await fetchPublicTo(
      url,
      { param, schemes: ['https'], limits, signal },
      {
        ...this.#tools,
        async onPiece(piece) {
          left.bytes -= piece.length;
          if (left.bytes < 0) throw invalid(param, `exceeds ${media.allBytesMax} bytes with the others`);
          // Also held as base64, a third larger.
          await lease?.take(Math.ceil((piece.length * 7) / 3));
          pieces.push(piece);
        },
      },
    );
    const head = Buffer.concat(pieces);
    return {
      mediaType: typeOf(head, address),
      bytes: head.length,
      base64: await base64Pieces({
        pieces: async function* () {
          yield head;
        },
      }),
    };
  }
}

const PDF = '%PDF-';

/** An image by its first bytes; a document also by the extension of its address. */
function typeOf(bytes: Buffer, { of, url, param }: MediaAddress): string {
  const sniffed = sniffMedia(bytes);
  if (of === 'image') {
    if (sniffed?.startsWith('image/')) return sniffed;
    throw invalid(param, 'is not an image that can be recognised');
  }
  if (bytes.subarray(0, PDF.length).toString('latin1') === PDF) return 'application/pdf';
  const type = sniffed ?? typeOfExtension(url);
  if (type !== null) return type;
  throw invalid(param, 'is not a file that can be recognised; use a PDF, or an address that ends in .txt');
}

function invalid(param: string, why: string): Problem {
  return new Problem('invalid_parameter', { detail: `${param} ${why}.`, param });
}
