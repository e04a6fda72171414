/**
 * Copies the blobs that a snapshot names into a backup. Their names are read with the snapshot into a file, because there
 * may be too many for the memory and the snapshot must not stay open while they are copied.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Blobs } from '../blobs/blobs.ts';
import type { Transaction } from '../database/database.ts';
import type { Instant } from '../kernel/time.ts';
import { BLOB_FOLDER, BLOB_INDEX_FOLDER } from './manifest.ts';
import { listNamedBlobs, type NamedBlob } from './named-blobs.store.ts';
import { compressLines } from './table-parts.ts';
import type { TarWriter, WrittenPart } from './tar-writer.ts';

const NAMES_AT_ONCE = 1_000;
/** Blobs whose digests share a part. */
const INDEXED_AT_ONCE = 1_000;

export interface CopiedBlobs {
  readonly count: number;
  readonly bytes: number;
  readonly missing: number;
  /** The parts with their digests. */
  readonly parts: readonly WrittenPart[];
}

export class BlobCopier {
  readonly #file: string;
  readonly #names: FileHandle;
  readonly #blobs: Blobs;

  static async create(file: string, blobs: Blobs): Promise<BlobCopier> {
    return new BlobCopier(file, await open(file, 'wx', 0o600), blobs);
  }

  private constructor(file: string, names: FileHandle, blobs: Blobs) {
    this.#file = file;
    this.#names = names;
    this.#blobs = blobs;
  }

  async listNames(tx: Transaction, now: Instant): Promise<void> {
    let after = '';
    for (;;) {
      const named = await listNamedBlobs(tx, { after, now, rowsMax: NAMES_AT_ONCE });
      if (named.length === 0) return;
      await this.#names.appendFile(`${named.map((blob) => JSON.stringify(blob)).join('\n')}\n`);
      after = named.at(-1)?.name ?? '';
    }
  }

  async copyTo(tar: TarWriter): Promise<CopiedBlobs> {
    const parts: WrittenPart[] = [];
    let digests: WrittenPart[] = [];
    let [count, bytes, missing] = [0, 0, 0];
    const index = async (): Promise<void> => {
      if (digests.length === 0) return;
      const lines = await compressLines(digests.map((digest) => JSON.stringify(digest)));
      const number = String(parts.length + 1).padStart(6, '0');
      parts.push(await tar.add(`${BLOB_INDEX_FOLDER}${number}.jsonl.gz`, lines));
      digests = [];
    };
    for await (const line of createInterface({ input: createReadStream(this.#file) })) {
      const { name, expired } = JSON.parse(line) as NamedBlob;
      const copied = await this.#copy(tar, name);
      if (copied === null) {
        if (!expired) missing += 1;
        continue;
      }
      digests.push(copied);
      count += 1;
      bytes += copied.bytes;
      if (digests.length === INDEXED_AT_ONCE) await index();
    }
    await index();
    return { count, bytes, missing, parts };
  }

  /** Null if the store has no such blob. */
  async #copy(tar: TarWriter, name: string): Promise<WrittenPart | null> {
    const found = await this.#blobs.stat(name);
    const content = found === null ? null : await this.#blobs.open(name);
    if (found === null || content === null) return null;
    return await tar.addPieces({ name: `${BLOB_FOLDER}${name}`, bytes: found.bytes }, content);
  }

  async close(): Promise<void> {
    await this.#names.close();
    await rm(this.#file, { force: true });
  }
}
