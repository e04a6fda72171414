/** Writes the media of kept responses as blobs, each once per owner, and reads them back. */

import type { OwnerScope } from '../access/principal.ts';
import type { BlobKeeper, PendingBlob } from '../blobs/blob-keeper.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Clock } from '../kernel/time.ts';
import { findKeptMedia } from './kept-media.store.ts';
import type { TakenMedium } from './take-media.ts';

export interface MediaKeeperTools {
  readonly db: Database;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly keeper: BlobKeeper;
}

export interface StoredMedium {
  readonly place: string;
  readonly sha256: string;
  readonly bytes: number;
  /** The blob written for it; null if the owner had it already. */
  readonly blob: PendingBlob | null;
}

/** Bytes are written in pieces of this size, so that other work gets its turn. */
const PIECE_BYTES = 1024 * 1024;

export async function writeMedia(
  taken: readonly TakenMedium[],
  scope: OwnerScope,
  tools: MediaKeeperTools,
): Promise<StoredMedium[]> {
  const media = await Promise.all(
    taken.map(async ({ place, text }) => {
      const bytes = Buffer.from(text, 'utf8');
      return { place, bytes, sha256: await sha256Of(bytes) };
    }),
  );
  const known = await findKeptMedia(tools.db, scope, [...new Set(media.map(({ sha256 }) => sha256))]);
  const stored: StoredMedium[] = [];
  for (const { place, bytes, sha256 } of media) {
    const blob = known.has(sha256) ? null : await writeBlob(bytes, tools);
    known.add(sha256);
    stored.push({ place, sha256, bytes: bytes.length, blob });
  }
  return stored;
}

/** Null if the blob was deleted. */
export async function readMedium(blobs: Blobs, id: string): Promise<string | null> {
  const stream = await blobs.open(id);
  if (stream === null) return null;
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

async function writeBlob(bytes: Buffer, { keeper, clock }: MediaKeeperTools): Promise<PendingBlob> {
  const blob = await keeper.write(newId('kmed', clock.now()));
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      await blob.append(bytes.subarray(at, at + PIECE_BYTES));
    await blob.commit();
    return blob;
  } catch (error) {
    await blob.abort();
    throw error;
  }
}

/** Web Crypto hashes in a thread, because media are large. */
async function sha256Of(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex');
}
