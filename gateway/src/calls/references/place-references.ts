/**
 * Step 3 of the way of a reference (see find-references.ts): decides what stands for each reference in the body for
 * one provider. In this order: the id of a file that the provider keeps, the bytes, a URL that it can fetch. Other
 * addresses stay, or become their bytes for a provider that does not fetch.
 */

import type { JsonObject } from '../../json/parse-json.ts';
import { type Inline, placeholder } from '../../json/placeholders.ts';
import { replaceValues } from '../../json/replace-values.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { Problem } from '../../kernel/problem.ts';
import { whenAvailable } from '../../kernel/when-available.ts';
import type { StoredReference } from '../../media/references.store.ts';
import { base64Pieces, type MediaTools, storedMedia } from '../../media/resolve-media.ts';
import type { ByteLease } from '../../memory/byte-budget.ts';
import type { FetchTools } from '../../net/fetch-public.ts';
import type { MediaInput } from '../../providers/media-input.ts';
import type { Provider, TextProvider } from '../../providers/provider.ts';
import { type MediaAddress, NO_ADDRESSES } from '../../text/media-address.ts';
import type { MediaSource } from '../../text/text-call.ts';
import { AddressFetcher } from './fetch-addresses.ts';

const MARK_CHARACTERS = 32;

/** What stands for the references of a call in the body for one provider. */
export interface PlacedReferences {
  readonly addresses: readonly MediaAddress[];
  readonly sources: ReadonlyMap<string, MediaSource>;
  /** The bytes, which are put in place of their placeholders last. */
  readonly inline: Inline;
  readonly assets: readonly PlacedAsset[];
}

export interface PlacedAsset {
  readonly referenceId: string;
  readonly provider: string;
  readonly name: string;
}

export interface NamedReference {
  readonly address: MediaAddress;
  readonly reference: StoredReference;
}

export interface Placing {
  /** Counts the bytes that are read; null for batches. */
  readonly lease: Pick<ByteLease, 'take'> | null;
  /** The caller has left. */
  readonly signal: AbortSignal;
}

interface CallReferencesOptions {
  readonly addresses: readonly MediaAddress[];
  /** By their URL. */
  readonly references: ReadonlyMap<string, NamedReference>;
  readonly tools: MediaTools &
    FetchTools & {
      readonly onTrouble?: (error: unknown, reference: { id: string; provider: string }) => void;
    };
  readonly inline: Inline | undefined;
}

/** The references of one call. */
export class CallReferences {
  readonly #options: CallReferencesOptions;
  readonly #inline: Inline;
  /** Each is read once, even if several routes are tried. */
  readonly #encoded = new Map<string, Promise<readonly Buffer[]>>();
  readonly #fetcher: AddressFetcher;

  constructor(options: CallReferencesOptions) {
    this.#options = options;
    this.#inline = options.inline ?? { mark: randomBase62(MARK_CHARACTERS), pieces: [] };
    this.#fetcher = new AddressFetcher(options.tools);
  }

  /** False: the addresses were only checked, and the body for this dialect is sent as it is. */
  concern(text: TextProvider): boolean {
    return this.#options.references.size > 0 || this.#toFetch(text).length > 0;
  }

  /** Throws a Problem if the provider cannot take one of them in any way. */
  async place(provider: Provider, text: TextProvider, placing: Placing): Promise<PlacedReferences> {
    const { addresses, references, tools } = this.#options;
    const { lease } = placing;
    const sources = new Map<string, MediaSource>();
    const pieces: Array<readonly Buffer[]> = [...this.#inline.pieces];
    const assets: PlacedAsset[] = [];
    let bytesLeft = text.media.allBytesMax;
    for (const [url, { address, reference }] of references) {
      const media = storedMedia(reference, tools, provider);
      const { mimeType: mediaType } = media;
      const bytesInBody = media.bytes * this.#timesOf(url);
      const name = takesName(text, address) ? await this.#nameOf(media, reference, provider) : null;
      if (name !== null) {
        assets.push({ referenceId: reference.id, provider: provider.name, name });
        sources.set(url, { kind: 'asset', mediaType, name });
      } else if (media.bytes <= text.media.oneBytesMax && bytesInBody <= bytesLeft) {
        bytesLeft -= bytesInBody;
        const base64 = placeholder(this.#inline.mark, pieces.length);
        sources.set(url, { kind: 'data', mediaType, base64 });
        pieces.push(await this.#encode(reference.id, media, lease));
      } else {
        const signed = text.media.fetches ? await media.url() : null;
        if (signed === null) throw tooLarge(address.param, text);
        sources.set(url, { kind: 'url', url: signed, mediaType });
      }
    }
    const toFetch = this.#toFetch(text);
    const fetched =
      toFetch.length === 0 ? null : await this.#fetcher.fetch(toFetch, { media: text.media, ...placing });
    for (const { url, param } of toFetch) {
      const media = fetched?.get(url);
      if (media === undefined || sources.has(url)) continue;
      bytesLeft -= media.bytes * this.#timesOf(url);
      if (media.bytes > text.media.oneBytesMax || bytesLeft < 0) throw tooLarge(param, text);
      const base64 = placeholder(this.#inline.mark, pieces.length);
      sources.set(url, { kind: 'data', mediaType: media.mediaType, base64 });
      pieces.push(media.base64);
    }
    return { addresses, sources, inline: { ...this.#inline, pieces }, assets };
  }

  /** Addresses that the provider cannot fetch itself. */
  #toFetch({ media }: TextProvider): readonly MediaAddress[] {
    if (media.fetches) return NO_ADDRESSES;
    const { addresses, references } = this.#options;
    return addresses.filter(({ url, of }) => of !== 'server' && !references.has(url));
  }

  /** Forgets files that the provider says it does not have. */
  async forget(assets: readonly PlacedAsset[]): Promise<void> {
    const { tools } = this.#options;
    await Promise.all(assets.map((asset) => tools.assets?.forget(asset, asset.name)));
  }

  /** Null if it is not registered with providers, or could not be: it is then sent in another way. */
  async #nameOf(media: MediaInput, reference: StoredReference, provider: Provider): Promise<string | null> {
    try {
      return await media.asset();
    } catch (error) {
      this.#options.tools.onTrouble?.(error, { id: reference.id, provider: provider.name });
      return null;
    }
  }

  /** A reference that is named several times is sent as often, though it is held in memory once. */
  #timesOf(url: string): number {
    return this.#options.addresses.reduce((times, address) => times + (address.url === url ? 1 : 0), 0);
  }

  #encode(id: string, media: MediaInput, lease: Placing['lease']): Promise<readonly Buffer[]> {
    let encoded = this.#encoded.get(id);
    if (encoded === undefined) {
      encoded = readEncoded(media, lease);
      this.#encoded.set(id, encoded);
    }
    return encoded;
  }
}

/** The caller's body with the placed references in place of their addresses. */
export function placeInBody(body: JsonObject, { addresses, sources }: PlacedReferences): JsonObject {
  const edits = addresses.flatMap(({ url, path, put }) => {
    const source = sources.get(url);
    return source === undefined ? [] : [{ path, value: put(source) }];
  });
  return replaceValues(body, edits);
}

async function readEncoded(media: MediaInput, lease: Placing['lease']): Promise<readonly Buffer[]> {
  await lease?.take(Math.ceil(media.bytes / 3) * 4);
  return await whenAvailable(() => base64Pieces(media));
}

function takesName({ media }: TextProvider, { of }: MediaAddress): boolean {
  return (media.names as readonly string[]).includes(of);
}

function tooLarge(param: string, { media }: TextProvider): Problem {
  const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  const taken = `${mib(media.oneBytesMax)} each and ${mib(media.allBytesMax)} in total`;
  const detail = `${param} is too large for this model, which takes ${taken}. Upload a smaller file.`;
  return new Problem('invalid_parameter', { detail, param });
}
