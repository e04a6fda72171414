/**
 * Step 3 of the way of a reference (see find-references.ts): decides what stands for each reference in the body for
 * one provider. In this order: the id of a file that the provider keeps, the bytes, a URL that it can fetch.
 */

import { randomBase62 } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json/parse-json.ts';
import { type Inline, placeholder } from '../../kernel/json/placeholders.ts';
import { replaceValues } from '../../kernel/json/replace-values.ts';
import { Problem } from '../../kernel/problem.ts';
import { whenAvailable } from '../../kernel/when-available.ts';
import type { StoredReference } from '../../media/references.store.ts';
import { base64Pieces, type MediaTools, storedMedia } from '../../media/resolve-media.ts';
import type { ByteLease } from '../../metering/byte-budget.ts';
import type { MediaInput } from '../../providers/media-input.ts';
import type { Provider, TextProvider } from '../../providers/provider.ts';
import type { MediaAddress } from '../../text/media-address.ts';
import type { MediaSource } from '../../text/text-call.ts';

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

/** Counts the bytes that are read; batches have none. */
type ByteCount = Pick<ByteLease, 'take'>;

interface CallReferencesOptions {
  readonly addresses: readonly MediaAddress[];
  /** By their URL. */
  readonly references: ReadonlyMap<string, NamedReference>;
  readonly tools: MediaTools & {
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

  constructor(options: CallReferencesOptions) {
    this.#options = options;
    this.#inline = options.inline ?? { mark: randomBase62(MARK_CHARACTERS), pieces: [] };
  }

  /** False: the addresses were only checked, and the body is sent as it is. */
  get any(): boolean {
    return this.#options.references.size > 0;
  }

  /** Throws a Problem if the provider cannot take one of them in any way. */
  async place(
    provider: Provider,
    text: TextProvider,
    lease: ByteCount | null = null,
  ): Promise<PlacedReferences> {
    const { addresses, references, tools } = this.#options;
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
    return { addresses, sources, inline: { ...this.#inline, pieces }, assets };
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

  #encode(id: string, media: MediaInput, lease: ByteCount | null): Promise<readonly Buffer[]> {
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

async function readEncoded(media: MediaInput, lease: ByteCount | null): Promise<readonly Buffer[]> {
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
