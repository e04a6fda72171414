/**
 * Finds the file of a signed URL. A forged, edited or expired URL gets the same answer as one whose file is gone, and
 * nothing is looked up before the signature is verified.
 */
import type { Readable } from 'node:stream';
import type { BlobRange } from '../blobs/blobs.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { findMedia, isReady } from './media.store.ts';
import type { LinkedFile, LinkTools } from './media-link.ts';
import { findAnyReference } from './references.store.ts';
import type { SignedLink } from './sign-link.ts';

export interface ServedFile extends LinkedFile {
  readonly spaceId: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** `link` is null if the URL does not have the form of a signed one. */
export async function findLinkedFile(link: SignedLink | null, tools: LinkTools): Promise<ServedFile> {
  const file = link === null ? null : await whenAvailable(() => findSigned(link, tools));
  if (file !== null) return file;
  throw new Problem('media_not_found', {
    detail:
      'This link is invalid or has expired. Create a new one with POST /v1/media/{media_id}/link, ' +
      'and use it unchanged.',
  });
}

export async function openLinkedFile(
  file: ServedFile,
  range: BlobRange | null,
  { blobs }: LinkTools,
): Promise<Readable> {
  const stream = await whenAvailable(() => blobs.open(file.id, range ?? undefined));
  if (stream === null) throw new Error(`the blob of ${file.id} is missing`);
  return stream;
}

async function findSigned(link: SignedLink, tools: LinkTools): Promise<ServedFile | null> {
  const { clock, signer } = tools;
  if (!(await signer.isOurs(link))) return null;
  return Number(link.expires) * 1000 > clock.now() ? await findServedFile(link.id, tools) : null;
}

async function findServedFile(id: string, { db, clock }: LinkTools): Promise<ServedFile | null> {
  const now = clock.now();
  if (isId('ref', id)) return await findAnyReference(db, id, now);
  const media = await findMedia(db, id);
  return media !== null && isReady(media) && media.expiresAt > now ? media : null;
}
