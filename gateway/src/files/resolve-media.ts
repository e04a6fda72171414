/**
 * Turns what stands in a URL field of a request into what a provider can be given. References are looked for
 * in the caller's own space; one that is missing, expired or somebody else's is one answer.
 */
import type { Blobs } from '../blobs/blobs.ts';
import { type ReferenceKind, type ReferenceTrack, referenceSchemes } from '../contract/references.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { MediaInput } from '../providers/media-input.ts';
import { findReference, type StoredReference } from './references.store.ts';
import { whenStored } from './when-stored.ts';

export interface MediaTools {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

export interface MediaWanted {
  readonly spaceId: string;
  /** Where it stands in the request. */
  readonly param: string;
  readonly kinds: readonly ReferenceKind[];
}

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
  const at = { spaceId: wanted.spaceId, now: clock.now() };
  const { id, track } = named ?? { id: '', track: null };
  const found = isId('ref', id) ? await whenStored(() => findReference(db, id, at)) : null;
  const { param } = wanted;
  if (found === null || found.track !== track) {
    throw new Problem('invalid_parameter', {
      detail: `${param} names no reference of this space; upload the file with POST /v1/references and use its reference unchanged.`,
      param,
    });
  }
  if (wanted.kinds.includes(found.kind)) return found;
  throw new Problem('invalid_parameter', {
    detail: `${param} takes ${wanted.kinds.join(' or ')}; the reference is ${found.mimeType}.`,
    param,
  });
}

/** The bytes of a reference, for a provider. */
export function storedMedia(reference: StoredReference, { blobs }: MediaTools): MediaInput {
  const { id, mimeType, bytes } = reference;
  return {
    mimeType,
    bytes,
    async *pieces() {
      const stream = await blobs.open(id);
      if (stream === null) throw new Error(`the blob of ${id} is missing`);
      yield* stream as AsyncIterable<Buffer>;
    },
    url: () => Promise.resolve(null),
    asset: () => Promise.resolve(null),
  };
}
