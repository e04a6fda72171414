/**
 * Addresses at which a file can be read for a while by whoever has them: a presigned one of the bucket where
 * files are in one, else one that we signed and serve ourselves (open-link.ts).
 */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { Blobs } from '../blobs/blobs.ts';
import { LINK_SECONDS_DEFAULT, type MediaLink } from '../contract/media.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { whenAvailable } from '../kernel/when-available.ts';
import { findMedia, isReady, type ReadyMedia } from './media.store.ts';
import { extensionOf } from './media-format.ts';
import type { StoredReference } from './references.store.ts';
import type { LinkSigner } from './sign-link.ts';

export interface LinkTools {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly signer: LinkSigner;
  /** Where we are found from outside, without a slash at the end; null where that was not said. */
  readonly publicUrl: string | null;
}

/** A file as its readers see it. */
export interface LinkedFile {
  /** Also the name of its blob. */
  readonly id: string;
  readonly mimeType: string;
}

/** `origin` is where we listen, for where the configuration does not say where we are found. */
export async function createMediaLink(
  request: { principal: Principal; id: string; seconds: number | null; origin: string },
  tools: LinkTools,
): Promise<MediaLink> {
  const media = await getReadyMedia(request, tools);
  const { id, mimeType, bytes } = media;
  const now = Math.floor(tools.clock.now() / 1000);
  // A link does not promise more than the file itself.
  const expires = Math.min(
    now + (request.seconds ?? LINK_SECONDS_DEFAULT),
    Math.floor(media.expiresAt / 1000),
  );
  const url = await whenAvailable(() =>
    addressOf(
      media,
      { expires, seconds: Math.max(1, expires - now) },
      tools.publicUrl ?? request.origin,
      tools,
    ),
  );
  return { media_id: id, url, expires_at: expires, mime_type: mimeType, bytes };
}

/** For a provider that fetches its inputs itself; null where it could not reach us. */
export async function signReferenceUrl(
  reference: StoredReference,
  seconds: number,
  tools: LinkTools,
): Promise<string | null> {
  const { publicUrl, blobs, clock } = tools;
  if (publicUrl === null && blobs.presign === undefined) return null;
  const expires = Math.floor(clock.now() / 1000) + seconds;
  return await whenAvailable(() => addressOf(reference, { expires, seconds }, publicUrl ?? '', tools));
}

/** What a file is called where somebody saves it. */
export function inlineDisposition({ id, mimeType }: LinkedFile): string {
  return `inline; filename="${id}${extensionOf(mimeType)}"`;
}

async function addressOf(
  file: LinkedFile,
  until: { expires: number; seconds: number },
  origin: string,
  { blobs, signer }: LinkTools,
): Promise<string> {
  if (blobs.presign !== undefined) {
    return await blobs.presign(file.id, {
      seconds: until.seconds,
      contentType: file.mimeType,
      contentDisposition: inlineDisposition(file),
    });
  }
  const expires = String(until.expires);
  return `${origin}/media/${file.id}?expires=${expires}&signature=${await signer.sign(file.id, expires)}`;
}

/** Missing, expired and somebody else's are one answer; only the owner learns that it is not ready. */
async function getReadyMedia(
  { principal, id }: { principal: Principal; id: string },
  { db, clock }: LinkTools,
): Promise<ReadyMedia> {
  const media = isId('media', id) ? await whenAvailable(() => findMedia(db, id)) : null;
  const mine = media?.spaceId === principal.spaceId && media.owner === ownerOf(principal);
  const expired = (media?.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now();
  if (media === null || !mine || expired) {
    throw new Problem('media_not_found', {
      detail: `There is no file ${JSON.stringify(id.slice(0, 100))} that this key can read.`,
      param: 'media_id',
    });
  }
  if (isReady(media)) return media;
  const why =
    media.status === 'failed'
      ? 'could not be made'
      : `is still being made; look at GET /v1/jobs/${media.jobId}`;
  throw new Problem('media_not_ready', { detail: `The file ${id} ${why}.`, param: 'media_id' });
}
