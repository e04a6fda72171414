/**
 * Copies the files of a video from its provider into blobs of our own, with checksums. The settlement of the job adopts
 * the blobs. Each file has its id before the first byte arrives, so an interrupted copy is repeated under the same id.
 */
import type { BlobKeeper, PendingBlob } from '../blobs/blob-keeper.ts';
import { withLease } from '../jobs/jobs.store.ts';
import { newId } from '../kernel/ids.ts';
import { insertMedia, listMedia, type StoredMedia } from '../media/media.store.ts';
import type { OnSettled } from '../metering/settled-job.ts';
import type { ProviderJobTools } from '../provider-jobs/provider-job.ts';
import {
  FileGone,
  type ProviderFile,
  type ProviderVideo,
  type VideoProvider,
} from '../providers/video-provider.ts';
import { type FilmFacts, FilmReader } from './read-mp4.ts';
import type { LeasedVideo } from './video-jobs.store.ts';

export interface CopyTools extends Pick<ProviderJobTools, 'db' | 'clock'> {
  readonly keeper: BlobKeeper;
  /** Absent where nothing is counted, as for the invented past of the demo. */
  readonly onSettled?: OnSettled;
}

export interface CopiedFile {
  readonly media: StoredMedia;
  /** Null when the provider no longer has its bytes. */
  readonly copy: { readonly blob: PendingBlob; readonly film: FilmFacts } | null;
}

/** Far above any video of a few minutes. */
export const FILE_BYTES_MAX = 8 * 1024 * 1024 * 1024;

export async function copyFiles(
  leased: LeasedVideo,
  { remote, videos }: { remote: ProviderVideo; videos: VideoProvider },
  { signal, tools }: { signal: AbortSignal; tools: CopyTools },
): Promise<CopiedFile[]> {
  const pending = await insertFiles(leased, remote.files, tools);
  const copied: CopiedFile[] = [];
  try {
    for (const [i, media] of pending.entries()) {
      const file = remote.files[i];
      const copy = file === undefined ? null : await copyFile(media, videos.open(file, signal), tools);
      copied.push({ media, copy });
    }
    return copied;
  } catch (error) {
    await abortCopies(copied);
    throw error;
  }
}

/** Deletes copies that the settlement did not adopt. */
export async function abortCopies(copied: readonly CopiedFile[]): Promise<void> {
  for (const { copy } of copied) await copy?.blob.abort();
}

/** The rows of the files; an earlier turn may have inserted some of them. */
async function insertFiles(
  { video, job }: LeasedVideo,
  files: readonly ProviderFile[],
  { db, clock }: CopyTools,
): Promise<StoredMedia[]> {
  return await withLease(db, job, async (tx) => {
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
