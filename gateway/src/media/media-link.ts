/**
 * Creates temporary URLs at which anybody can read a file: presigned ones if files are in a bucket, else URLs that the
 * gateway signs and serves itself (open-link.ts).
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
  /** The public URL of the gateway, without a trailing slash; null if it is not configured. */
  readonly publicUrl: string | null;
}

/** A file as its reader sees it. */
export interface LinkedFile {
  /** Also the name of its blob. */
  readonly id: string;
  readonly mimeType: string;
}

/** `origin`: the address the gateway listens on, used if no public URL is configured. */
export async function createMediaLink(
  request: { principal: Principal; id: string; seconds: number | null; origin: string },
  tools: LinkTools,
): Promise<MediaLink> {
  const media = await getReadyMedia(request, tools);
  const { id, mimeType, bytes } = media;
  const now = Math.floor(tools.clock.now() / 1000);
  // A link does not outlive its file.
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

/** For a provider that fetches its inputs; null if it could not reach the gateway. */
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

/** The file name for saving it. */
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

/** A missing, an expired and another owner's file get the same answer; only the owner learns that it is not ready. */
async function getReadyMedia(
  { principal, id }: { principal: Principal; id: string },
  { db, clock }: LinkTools,
): Promise<ReadyMedia> {
  const media = isId('media', id) ? await whenAvailable(() => findMedia(db, id)) : null;
  const mine = media?.spaceId === principal.spaceId && media.owner === ownerOf(principal);
  const expired = (media?.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now();
  if (media === null || !mine || expired) {
    throw new Problem('media_not_found', {
      detail: `The file ${JSON.stringify(id.slice(0, 100))} does not exist, has expired, or belongs to another key.`,
      param: 'media_id',
    });
  }
  if (isReady(media)) return media;
  const why =
    media.status === 'failed'
      ? 'could not be generated. Create a new job'
      : `is still being generated. Poll GET /v1/jobs/${media.jobId} until the job has ended`;
  throw new Problem('media_not_ready', { detail: `The file ${id} ${why}.`, param: 'media_id' });
}
