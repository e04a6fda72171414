/**
 * Blobs as files in a folder. A blob is written to a temporary file, synced and renamed, so that a name always refers to
 * a complete blob. The name of a temporary file contains its process, so leftovers of dead processes are recognised.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { KIB, MIB } from '../kernel/bytes.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import {
  type BlobRange,
  type BlobSink,
  type Blobs,
  BlobsUnavailable,
  checkBlobName,
  type WrittenBlob,
} from './blobs.ts';

const PARTIAL = 'partial';
const READ_BYTES = 256 * KIB;
/** Sync in steps: one sync of hundreds of megabytes blocks database commits on the same disk for seconds. */
const SYNC_BYTES = 8 * MIB;

export class DiskBlobs implements Blobs {
  readonly #folder: string;
  #made: Promise<unknown> | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(name: string): Promise<BlobSink> {
    const place = this.#place(name);
    const partial = join(this.#folder, PARTIAL, `${name}.${writerMark()}`);
    return await orUnavailable(async () => {
      this.#made ??= mkdir(join(this.#folder, PARTIAL), { recursive: true, mode: 0o700 });
      await this.#made;
      return new DiskSink(await open(partial, 'wx', 0o600), { folder: this.#folder, partial, place });
    });
  }

  async open(name: string, range?: BlobRange): Promise<Readable | null> {
    const place = this.#place(name);
    const handle = await orUnavailable(() => orNull(open(place, 'r')));
    if (handle === null) return null;
    return createReadStream(place, { fd: handle, highWaterMark: READ_BYTES, ...range });
  }

  async stat(name: string): Promise<{ bytes: number } | null> {
    const place = this.#place(name);
    const found = await orUnavailable(() => orNull(stat(place)));
    return found === null ? null : { bytes: found.size };
  }

  async delete(name: string): Promise<void> {
    const place = this.#place(name);
    await orUnavailable(() => rm(place, { force: true }));
  }

  async removeLeftovers(before: Instant): Promise<void> {
    const folder = join(this.#folder, PARTIAL);
    await orUnavailable(async () => {
      for (const file of (await orNull(readdir(folder))) ?? []) {
        const path = join(folder, file);
        const found = await orNull(stat(path));
        if (found !== null && (found.mtimeMs < before || isWriterDead(file))) await rm(path, { force: true });
      }
    });
  }

  #place(name: string): string {
    checkBlobName(name);
    return join(this.#folder, name);
  }
}

export class DiskSink implements BlobSink {
  readonly #handle: FileHandle;
  readonly #paths: { folder: string; partial: string; place: string };
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #syncedBytes = 0;
  committed = false;

  constructor(handle: FileHandle, paths: { folder: string; partial: string; place: string }) {
    this.#handle = handle;
    this.#paths = paths;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await orUnavailable(async () => {
      for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
      if (this.#bytes - this.#syncedBytes < SYNC_BYTES) return;
      this.#syncedBytes = this.#bytes;
      await this.#handle.datasync();
    });
  }

  soFar(): WrittenBlob {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  async commit(): Promise<WrittenBlob> {
    const { folder, partial, place } = this.#paths;
    await orUnavailable(async () => {
      await this.#handle.sync();
      await this.#handle.close();
      await rename(partial, place);
      this.committed = true;
      // The rename itself is durable only when the folder is synced.
      await syncFolder(folder);
    });
    return this.soFar();
  }

  async abort(): Promise<void> {
    if (this.committed) return;
    await this.#handle.close().catch(() => undefined);
    // If this fails, the file is removed later as a leftover.
    await rm(this.#paths.partial, { force: true }).catch(() => undefined);
  }
}

/** Some systems cannot open a folder; nothing more can be done there. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Distinguishes this process from an earlier one with the same id, which is common in containers. */
const life = randomBase62(8);

function writerMark(): string {
  return `${hostMark()}.${process.pid}.${life}`;
}

function hostMark(): string {
  return hostname().replaceAll(/[^A-Za-z0-9-]/g, '-');
}

/** Processes of other machines cannot be checked, so their age decides. */
function isWriterDead(file: string): boolean {
  const [, host, pid, itsLife] = file.split('.');
  if (host !== hostMark()) return false;
  if (Number(pid) === process.pid) return itsLife !== life;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}

/** Callers treat every disk error alike: they can only retry later. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : message;
    throw new BlobsUnavailable(`blobs on disk: ${why}`, { cause: error });
  }
}
