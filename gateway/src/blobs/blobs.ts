/**
 * Where large bytes are kept: a folder (disk.ts) or a bucket (s3.ts). A blob is written once, under a name
 * that is one of our own ids, and is there in full or not at all. Who may read it is decided elsewhere.
 */
import type { Readable } from 'node:stream';
import { Unavailable } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';

export interface Blobs {
  /** Begins a blob. Nothing can be read of it before it is committed. */
  write(name: string): Promise<BlobSink>;
  /** Null when there is none. A range counts from 0; both ends belong to it. */
  open(name: string, range?: BlobRange): Promise<Readable | null>;
  stat(name: string): Promise<{ bytes: number } | null>;
  /** Does nothing when there is none. */
  delete(name: string): Promise<void>;
  /** Removes what writers left behind that are dead, or were silent since `before`. */
  removeLeftovers(before: Instant): Promise<void>;
  /** An address that anybody can read the blob at for a while, where the store has such. */
  presign?(name: string, options: PresignOptions): Promise<string>;
}

/** Once `append` or `commit` has thrown, only `abort` is left to do. */
export interface BlobSink {
  /** Resolves when more can be taken. The bytes must not change until then. */
  append(bytes: Uint8Array): Promise<void>;
  /** What was appended so far. */
  soFar(): WrittenBlob;
  /** Makes the blob durable and visible. */
  commit(): Promise<WrittenBlob>;
  /** Whether the blob can be seen, or may be: a commit that failed may still have come through. */
  readonly committed: boolean;
  /** Leaves nothing behind. May be called more than once, and does nothing after a commit; never throws. */
  abort(): Promise<void>;
}

export interface WrittenBlob {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface BlobRange {
  readonly start: number;
  readonly end: number;
}

export interface PresignOptions {
  readonly seconds: number;
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** The store is full or cannot be reached; the same may work later. */
export class BlobsUnavailable extends Unavailable {
  override readonly name = 'BlobsUnavailable';
}

/** Names come from `kernel/ids.ts` and nowhere else; one that could be a path is a bug. */
export function checkBlobName(name: string): void {
  if (!/^[a-z]{2,12}_[0-9a-z]{10,40}$/.test(name)) throw new Error(`not the name of a blob: ${name}`);
}
