/**
 * Copies what a provider made into blobs of our own. They are written unseen and checksummed; whoever settles
 * the job adopts them. Each file has its id before the first byte comes, so that a copy that was cut off is
 * made again under the same one.
 */
import type { BlobKeeper, PendingBlob } from '../blobs/blob-keeper.ts';
import { newId } from '../kernel/ids.ts';
import { insertMedia, listMedia, type StoredMedia } from '../media/media.store.ts';
import {
  FileGone,
  type ProviderFile,
  type ProviderVideo,
  type VideoProvider,
} from '../providers/video-provider.ts';
import { held } from './provider-videos.store.ts';
import { type FilmFacts, FilmReader } from './read-mp4.ts';
import type { HeldVideo, SendTools } from './send-video.ts';

export interface CopyTools extends Pick<SendTools, 'db' | 'clock'> {
  readonly keeper: BlobKeeper;
}

export interface CopiedFile {
  readonly media: StoredMedia;
  /** Null when its bytes cannot be had. */
  readonly copy: { readonly blob: PendingBlob; readonly film: FilmFacts } | null;
}

/** No film of a few minutes comes near this. */
export const FILE_BYTES_MAX = 8 * 1024 * 1024 * 1024;

export async function copyFiles(
  heldVideo: HeldVideo,
  { told, videos }: { told: ProviderVideo; videos: VideoProvider },
  { signal, tools }: { signal: AbortSignal; tools: CopyTools },
): Promise<CopiedFile[]> {
  const pending = await expectFiles(heldVideo, told.files, tools);
  const copied: CopiedFile[] = [];
  try {
    for (const [i, media] of pending.entries()) {
      const file = told.files[i];
      const copy = file === undefined ? null : await copyFile(media, videos.open(file, signal), tools);
      copied.push({ media, copy });
    }
    return copied;
  } catch (error) {
    await giveUp(copied);
    throw error;
  }
}

/** What was copied and will not be adopted is found and deleted. */
export async function giveUp(copied: readonly CopiedFile[]): Promise<void> {
  for (const { copy } of copied) await copy?.blob.abort();
}

/** The rows of the files, which a turn before may have written. */
async function expectFiles(
  { video, job }: HeldVideo,
  files: readonly ProviderFile[],
  { db, clock }: CopyTools,
): Promise<StoredMedia[]> {
  return await held(db, job, async (tx) => {
    const known = await listMedia(tx, video.id);
    const { id: jobId, spaceId, owner } = video;
    for (let position = known.length; position < files.length; position++) {
      const createdAt = clock.now();
      const mimeType = (files[position] as ProviderFile).mimeType;
      const id = newId('media', createdAt);
      await insertMedia(tx, { id, spaceId, owner, jobId, position, kind: 'video', mimeType, createdAt });
    }
    return await listMedia(tx, video.id);
  });
}

async function copyFile(
  { id }: StoredMedia,
  pieces: AsyncIterable<Buffer>,
  { keeper }: CopyTools,
): Promise<CopiedFile['copy']> {
  const blob = await keeper.write(id);
  try {
    const film = new FilmReader();
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > FILE_BYTES_MAX) throw new FileGone(`the file has more than ${FILE_BYTES_MAX} bytes`);
      film.push(piece);
      await blob.append(piece);
    }
    if (bytes === 0) throw new FileGone('the file is empty');
    await blob.commit();
    return { blob, film: film.facts() };
  } catch (error) {
    await blob.abort();
    if (error instanceof FileGone) return null;
    throw error;
  }
}
