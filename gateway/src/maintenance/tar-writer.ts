/** Writes a tar file under a temporary name, and gives it its own name when it is complete. */
import { createHash } from 'node:crypto';
import { type FileHandle, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomBase62 } from '../kernel/ids.ts';
import { BackupError } from './backup-error.ts';
import { paddingAfter, TAR_BLOCK, tarHeader } from './tar-header.ts';

export interface WrittenPart {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export class TarWriter {
  /** Beside the file, readable for its user only. */
  readonly partial: string;
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #signal: AbortSignal;
  bytes = 0;

  /** After the signal every write throws. */
  static async create(file: string, signal: AbortSignal): Promise<TarWriter> {
    const partial = `${file}.${randomBase62(8)}.partial`;
    return new TarWriter({ file, partial, signal }, await open(partial, 'wx', 0o600));
  }

  private constructor(
    { file, partial, signal }: { file: string; partial: string; signal: AbortSignal },
    handle: FileHandle,
  ) {
    this.#file = file;
    this.partial = partial;
    this.#signal = signal;
    this.#handle = handle;
  }

  async add(name: string, content: Uint8Array): Promise<WrittenPart> {
    return await this.addPieces({ name, bytes: content.length }, [content]);
  }

  /** Throws if the pieces have not exactly so many bytes. */
  async addPieces(
    { name, bytes }: { name: string; bytes: number },
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<WrittenPart> {
    await this.#write(tarHeader({ name, bytes }));
    const digest = createHash('sha256');
    let written = 0;
    for await (const piece of pieces) {
      written += piece.length;
      if (written > bytes) break;
      digest.update(piece);
      await this.#write(piece);
    }
    if (written !== bytes)
      throw new BackupError(`${name} changed while it was copied. Start the backup again.`);
    await this.#write(Buffer.alloc(paddingAfter(bytes)));
    return { name, bytes, sha256: digest.digest('hex') };
  }

  /** Ends the file, waits until it is on the disk, and gives it its name, which must be free. */
  async commit(): Promise<void> {
    await this.#write(Buffer.alloc(2 * TAR_BLOCK));
    await this.#handle.sync();
    await this.#handle.close();
    try {
      // Unlike a rename, a link never replaces a file that somebody else wrote meanwhile.
      await link(this.partial, this.#file);
    } finally {
      await rm(this.partial, { force: true });
    }
    // Some file systems cannot sync a folder. The file itself is on the disk.
    const folder = await open(dirname(this.#file), 'r').catch(() => null);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  }

  /** Removes what was written. Does nothing after a commit. */
  async abort(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.partial, { force: true });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#signal.aborted) throw new BackupError('The backup was interrupted. Nothing was left behind.');
    for (let at = 0; at < bytes.length; ) at += (await this.#handle.write(bytes, at)).bytesWritten;
    this.bytes += bytes.length;
  }
}
