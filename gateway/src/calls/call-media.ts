/**
 * The addresses in a call. All are checked before anything is sent; references are then put, for each route,
 * in the way that its provider takes them: as a file that it keeps, in the body, or at an address of ours.
 */
import { referenceKinds } from '../contract/reference-kinds.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { type Inline, placeholder } from '../kernel/json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { StoredReference } from '../media/references.store.ts';
import { base64Pieces, findMediaReference, type MediaTools, storedMedia } from '../media/resolve-media.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import type { AddressGuard } from '../net/address-guard.ts';
import type { Proxies } from '../net/proxies.ts';
import type { MediaInput } from '../providers/media-input.ts';
import type { Provider, TextProvider } from '../providers/provider.ts';
import type { MediaAddress } from '../text/media-address.ts';
import { isReference, readMediaUrl } from '../text/read-media.ts';
import type { MediaSource } from '../text/text-call.ts';

export interface CallMediaTools extends MediaTools {
  readonly guard: AddressGuard;
  /** Default: connect directly. */
  readonly proxies?: Proxies;
  /** Told when something could not be registered with a provider and goes another way. */
  readonly onTrouble?: (error: unknown, reference: { id: string; provider: string }) => void;
}

/** More references, or hosts, than any call needs; each is looked up. */
const REFERENCES_MAX = 100;
const HOSTS_MAX = 50;
const ALL_KINDS = Object.keys(referenceKinds) as Array<keyof typeof referenceKinds>;
const MARK_CHARACTERS = 32;

/** How references are put for a route. */
export interface PlacedMedia {
  readonly addresses: readonly MediaAddress[];
  readonly sources: ReadonlyMap<string, MediaSource>;
  /** What stands in a body for the bytes, which are put in last. */
  readonly inline: Inline;
  readonly assets: readonly PlacedAsset[];
}

export interface PlacedAsset {
  readonly referenceId: string;
  readonly provider: string;
  readonly name: string;
}

/** Where the bytes of references are counted; null where nobody waits for them. */
type RoomFor = Pick<ByteLease, 'take'>;

/** A reference in a call. */
interface Wanted {
  readonly address: MediaAddress;
  readonly reference: StoredReference;
}

export class CallMedia {
  readonly #addresses: readonly MediaAddress[];
  readonly #references: ReadonlyMap<string, Wanted>;
  readonly #tools: CallMediaTools;
  /** What of the body stands beside it already. */
  readonly #beside: Inline;
  /** Read once, however many routes want them. */
  readonly #encoded = new Map<string, Promise<readonly Buffer[]>>();

  private constructor(
    addresses: readonly MediaAddress[],
    references: ReadonlyMap<string, Wanted>,
    tools: CallMediaTools,
    beside: Inline | undefined,
  ) {
    this.#beside = beside ?? { mark: randomBase62(MARK_CHARACTERS), pieces: [] };
    this.#addresses = addresses;
    this.#references = references;
    this.#tools = tools;
  }

  /** Throws a Problem that names the field. */
  static async open(
    addresses: readonly MediaAddress[],
    spaceId: string,
    tools: CallMediaTools,
    beside?: Inline,
  ): Promise<CallMedia> {
    // An image that stands in every turn of a conversation is looked for once.
    const named = unique(addresses, ({ url, of }) => (isReference(url) ? `${of} ${url}` : null));
    const hosts = unique(addresses, ({ url }) => (isReference(url) ? null : hostPart(url)));
    if (named.length > REFERENCES_MAX) throw tooMany(named[0], `${REFERENCES_MAX} references`);
    if (hosts.length > HOSTS_MAX) throw tooMany(hosts[0], `${HOSTS_MAX} hosts`);
    const looking = named.map(async (address): Promise<[string, Wanted]> => {
      return [address.url, { address, reference: await findNamed(address, spaceId, tools) }];
    });
    const found = await Promise.all(looking);
    await Promise.all(hosts.map((address) => checkHost(address, tools.guard)));
    return new CallMedia(addresses, new Map(found), tools, beside);
  }

  /** Whether anything has to be put into the body at all. */
  get hasReferences(): boolean {
    return this.#references.size > 0;
  }

  /** Throws a Problem for what the provider cannot be given in any way. */
  async place(provider: Provider, text: TextProvider, lease: RoomFor | null = null): Promise<PlacedMedia> {
    const sources = new Map<string, MediaSource>();
    const pieces: Array<readonly Buffer[]> = [...this.#beside.pieces];
    const assets: PlacedAsset[] = [];
    let left = text.media.allBytesMax;
    for (const [url, { address, reference }] of this.#references) {
      const media = storedMedia(reference, this.#tools, provider);
      const { mimeType: mediaType, bytes } = media;
      const name = takesName(text, address) ? await this.#nameOf(media, reference, provider) : null;
      if (name !== null) {
        assets.push({ referenceId: reference.id, provider: provider.name, name });
        sources.set(url, { kind: 'asset', mediaType, name });
      } else if (bytes <= text.media.oneBytesMax && bytes * this.#timesOf(url) <= left) {
        left -= bytes * this.#timesOf(url);
        sources.set(url, { kind: 'data', mediaType, base64: placeholder(this.#beside.mark, pieces.length) });
        pieces.push(await this.#encode(reference.id, media, lease));
      } else {
        const signed = text.media.fetches ? await media.url() : null;
        if (signed === null) throw tooLarge(address.param, text);
        sources.set(url, { kind: 'url', url: signed, mediaType });
      }
    }
    return { addresses: this.#addresses, sources, inline: { ...this.#beside, pieces }, assets };
  }

  /** The provider does not know these any more, or says so. */
  async forget(assets: readonly PlacedAsset[]): Promise<void> {
    await Promise.all(assets.map((asset) => this.#tools.assets?.forget(asset, asset.name)));
  }

  /** Null where it is none, and where it could not be registered: it may go another way. */
  async #nameOf(media: MediaInput, reference: StoredReference, provider: Provider): Promise<string | null> {
    try {
      return await media.asset();
    } catch (error) {
      this.#tools.onTrouble?.(error, { id: reference.id, provider: provider.name });
      return null;
    }
  }

  /** What stands in a call many times is sent as many times, though it is held once. */
  #timesOf(url: string): number {
    return this.#addresses.reduce((times, address) => times + (address.url === url ? 1 : 0), 0);
  }

  #encode(id: string, media: MediaInput, lease: RoomFor | null): Promise<readonly Buffer[]> {
    let encoded = this.#encoded.get(id);
    if (encoded === undefined) {
      encoded = readEncoded(media, lease);
      this.#encoded.set(id, encoded);
    }
    return encoded;
  }
}

async function readEncoded(media: MediaInput, lease: RoomFor | null): Promise<readonly Buffer[]> {
  await lease?.take(Math.ceil(media.bytes / 3) * 4);
  return await whenAvailable(() => base64Pieces(media));
}

function takesName({ media }: TextProvider, { of }: MediaAddress): boolean {
  return (media.names as readonly string[]).includes(of);
}

async function findNamed(
  { url, of, param }: MediaAddress,
  spaceId: string,
  tools: CallMediaTools,
): Promise<StoredReference> {
  if (of === 'server') throw refused(param, `${param} must be the address of a server.`);
  const kinds = of === 'image' ? (['image'] as const) : ALL_KINDS;
  return await findMediaReference(url, { spaceId, param, kinds }, tools);
}

async function checkHost({ url, param }: MediaAddress, guard: AddressGuard): Promise<void> {
  // Says what else there may be, where it is no address at all.
  readMediaUrl(url, param);
  await guard.checkPassed(url, { param, schemes: ['http', 'https'] });
}

function unique(
  addresses: readonly MediaAddress[],
  keyOf: (address: MediaAddress) => string | null,
): MediaAddress[] {
  const found = new Map<string, MediaAddress>();
  for (const address of addresses) {
    const key = keyOf(address);
    if (key !== null && !found.has(key)) found.set(key, address);
  }
  return [...found.values()];
}

/** Two addresses with the same beginning have the same host, and are checked as one. */
function hostPart(url: string): string {
  return /^https?:\/\/[^/?#\\]*(?=[/?#]|$)/i.exec(url)?.[0] ?? url;
}

function tooMany(address: MediaAddress | undefined, what: string): Problem {
  return refused(address?.param ?? '', `A call must not name more than ${what}.`);
}

function refused(param: string, detail: string): Problem {
  return new Problem('invalid_parameter', { detail, param });
}

function tooLarge(param: string, { media }: TextProvider): Problem {
  const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  const taken = `${mib(media.oneBytesMax)} each and ${mib(media.allBytesMax)} in all`;
  return refused(param, `${param} is too large for this model, which takes ${taken}; upload a smaller one.`);
}
