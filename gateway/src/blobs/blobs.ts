/**
 * Where large bytes are kept: a folder (disk.ts) or a bucket (s3.ts). A blob is written once, under a name
 * that is one of our own ids, and is there in full or not at all. Who may read it is decided elsewhere.
 */
import type { Readable } from 'node:stream';
import { Unavailable } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';

export interface Blobs {
  /** Begins a blob. It cannot be read before it is committed. */
  write(name: string): Promise<BlobSink>;
  /** Null if there is none. A range starts at 0 and includes both ends. */
  open(name: string, range?: BlobRange): Promise<Readable | null>;
  stat(name: string): Promise<{ bytes: number } | null>;
  /** Does nothing if there is none. */
  delete(name: string): Promise<void>;
  /** Removes leftovers of writers that are dead or have been silent since `before`. */
  removeLeftovers(before: Instant): Promise<void>;
  /** A temporary public address of the blob, if the store supports it. */
  presign?(name: string, options: PresignOptions): Promise<string>;
}

/** After `append` or `commit` has thrown, only `abort` may be called. */
export interface BlobSink {
  /** Resolves when more can be appended. The bytes must not change until then. */
  append(bytes: Uint8Array): Promise<void>;
  /** What has been appended so far. */
  soFar(): WrittenBlob;
  /** Makes the blob durable and visible. */
  commit(): Promise<WrittenBlob>;
  /** Whether the blob is or may be visible: a failed commit may still have had its effect. */
  readonly committed: boolean;
  /** Removes everything. May be called more than once, does nothing after a commit, and never throws. */
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

/** The store is full or unreachable; a retry may succeed later. */
export class BlobsUnavailable extends Unavailable {
  override readonly name = 'BlobsUnavailable';
}

/** Names come from `kernel/ids.ts` and nowhere else; one that could be a path is a bug. */
export function checkBlobName(name: string): void {
  if (!/^[a-z]{2,12}_[0-9a-z]{10,40}$/.test(name)) throw new Error(`not a valid blob name: ${name}`);
}
