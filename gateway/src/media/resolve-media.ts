/**
 * Finds the reference that a URL in a request names, and opens it as an input for a provider. References are looked up
 * in the caller's space; a missing, an expired and another space's reference get the same answer.
 */
import type { Blobs } from '../blobs/blobs.ts';
import { type ReferenceKind, type ReferenceTrack, referenceSchemes } from '../contract/reference-kinds.ts';
import type { Database } from '../database/database.ts';
import { readAgain } from '../database/deadlines.ts';
import { isId } from '../kernel/ids.ts';
import { usualType } from '../kernel/media-types.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { TurnBudget } from '../kernel/turn-budget.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import type { MediaInput } from '../providers/media-input.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderAssets } from './provider-assets.ts';
import { findReference, type StoredReference, touchReference } from './references.store.ts';

export interface MediaTools {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** Absent if nothing is registered with providers. */
  readonly assets?: ProviderAssets;
  /** A URL at which a provider can fetch it for so many seconds; null if the gateway has no public URL. */
  readonly signUrl?: (reference: StoredReference, seconds: number) => Promise<string | null>;
}

export interface MediaWanted {
  readonly spaceId: string;
  /** The field in the request. */
  readonly param: string;
  readonly kinds: readonly ReferenceKind[];
}

/** Long enough for a provider that queues requests before it fetches. */
const URL_SECONDS = 60 * 60;

/** The id in a `svc-file://` or `svc-asset://` URL; null for any other URL. */
export function readReference(url: string): { id: string; track: ReferenceTrack } | null {
  for (const [track, scheme] of Object.entries(referenceSchemes)) {
    if (url.startsWith(scheme)) return { id: url.slice(scheme.length), track: track as ReferenceTrack };
  }
  return null;
}

export async function findMediaReference(
  url: string,
  wanted: MediaWanted,
  { db, clock }: MediaTools,
): Promise<StoredReference> {
  const named = readReference(url);
  const now = clock.now();
  const { id, track } = named ?? { id: '', track: null };
  const at = { spaceId: wanted.spaceId, now };
  const found = isId('ref', id)
    ? await whenAvailable(() => readAgain(() => findReference(db, id, at)))
    : null;
  const { param } = wanted;
  if (found === null || found.track !== track) {
    throw new Problem('invalid_parameter', {
      detail: `${param} names no reference of this space. Upload the file with POST /v1/references, and use the returned reference unchanged.`,
      param,
    });
  }
  if (!wanted.kinds.includes(found.kind)) {
    throw new Problem('invalid_parameter', {
      detail: `${param} must name a file of type ${wanted.kinds.join(' or ')}, but the reference is ${found.mimeType}. Use another file.`,
      param,
    });
  }
  // Not awaited: if it fails, the next use repeats it.
  touchReference(db, found, now).catch(() => undefined);
  return found;
}

/** A reference as an input for a provider. */
export function storedMedia(
  reference: StoredReference,
  tools: MediaTools,
  provider?: Pick<Provider, 'name' | 'assets'>,
): MediaInput {
  const { id, track, mimeType, bytes } = reference;
  const { blobs, assets, signUrl } = tools;
  const media = {
    mimeType: usualType(mimeType),
    bytes,
    async *pieces(): AsyncGenerator<Buffer> {
      const stream = await blobs.open(id);
      if (stream === null) throw new Error(`the blob of ${id} is missing`);
      yield* stream as AsyncIterable<Buffer>;
    },
  };
  return {
    ...media,
    url: async () => (signUrl === undefined ? null : await signUrl(reference, URL_SECONDS)),
    async asset() {
      const kept = provider?.assets;
      if (track !== 'managed' || assets === undefined || provider === undefined || kept === undefined)
        return null;
      return await assets.nameOf({ referenceId: id, media }, { name: provider.name, assets: kept });
    },
  };
}

/** Shared by all calls, so that encoding many references does not block the event loop. */
const encoding = new TurnBudget();

/** The bytes in base64, in consecutive pieces. */
export async function base64Pieces(media: Pick<MediaInput, 'pieces'>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  // Three bytes become four characters; the remainder of a piece is put before the next one.
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of media.pieces()) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) pieces.push(Buffer.from(bytes.toString('base64', 0, whole), 'latin1'));
    // A copy, because streams reuse their buffers.
    rest = Buffer.from(bytes.subarray(whole));
    await encoding.spendOrWait(bytes.length);
  }
  if (rest.length > 0) pieces.push(Buffer.from(rest.toString('base64'), 'latin1'));
  return pieces;
}
