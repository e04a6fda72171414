/**
 * Makes of an address in a request what a provider can be given. References are looked for
 * in the caller's own space; one that is missing, expired or somebody else's is one answer.
 */
import type { Blobs } from '../blobs/blobs.ts';
import { type ReferenceKind, type ReferenceTrack, referenceSchemes } from '../contract/reference-kinds.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
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
  /** Absent where nothing is registered with providers. */
  readonly assets?: ProviderAssets;
  /** An address at which a provider can fetch it for so long; null where we cannot be reached. */
  readonly signUrl?: (reference: StoredReference, seconds: number) => Promise<string | null>;
}

export interface MediaWanted {
  readonly spaceId: string;
  /** Where it stands in the request. */
  readonly param: string;
  readonly kinds: readonly ReferenceKind[];
}

/** Long enough for a provider that has a queue before it fetches. */
const URL_SECONDS = 60 * 60;

/** The id behind `svc-file://` or `svc-asset://`; null for any other address. */
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
  const found = isId('ref', id) ? await whenAvailable(() => findReference(db, id, at)) : null;
  const { param } = wanted;
  if (found === null || found.track !== track) {
    throw new Problem('invalid_parameter', {
      detail: `${param} names no reference of this space; upload the file with POST /v1/references and use its reference unchanged.`,
      param,
    });
  }
  if (!wanted.kinds.includes(found.kind)) {
    throw new Problem('invalid_parameter', {
      detail: `${param} takes ${wanted.kinds.join(' or ')}; the reference is ${found.mimeType}.`,
      param,
    });
  }
  // Nobody waits for it, and if it fails the next use does it.
  touchReference(db, found, now).catch(() => undefined);
  return found;
}

/** A reference as something to give to a provider. */
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

/** Some formats go by several names, of which providers know one. */
function usualType(mimeType: string): string {
  return usualTypes[mimeType] ?? mimeType;
}

const usualTypes: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

/** Shared by all calls that encode references. */
const encoding = new TurnBudget();

/** The bytes in base64, in pieces that stand one after the other. */
export async function base64Pieces(media: Pick<MediaInput, 'pieces'>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  // Three bytes become four characters; what is left of a piece goes before the next.
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of media.pieces()) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    if (whole > 0) pieces.push(Buffer.from(bytes.toString('base64', 0, whole), 'latin1'));
    // A copy, because streams use their buffers again.
    rest = Buffer.from(bytes.subarray(whole));
    await encoding.spendOrWait(bytes.length);
  }
  if (rest.length > 0) pieces.push(Buffer.from(rest.toString('base64'), 'latin1'));
  return pieces;
}
