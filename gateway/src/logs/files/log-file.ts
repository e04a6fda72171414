/** One file of a source, plain or compressed, that can be read from any offset. */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { hashText } from '../../kernel/hash-text.ts';

const FIRST_RECORD_BYTES = 256;
const COMPRESSED_BYTES = 64 * 1024;

export interface LogFile {
  readonly inode: number;
  readonly path: string;
  /** Reads into `buffer` and returns the number of bytes; 0 at the end. */
  read(buffer: Buffer, offset: number): Promise<number>;
  /** Null for a compressed file. */
  size(): Promise<number | null>;
  close(): Promise<void>;
}

/** Null if it is gone or a link out of the root. */
export async function openLogFile(path: string, root: string): Promise<LogFile | null> {
  try {
    const real = await realpath(path);
    if (real !== path && !real.startsWith(root.endsWith(sep) ? root : root + sep)) return null;
    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { ino, isFile } = await handle.stat().then((stat) => ({ ino: stat.ino, isFile: stat.isFile() }));
    if (!isFile) {
      await handle.close();
      return null;
    }
    return path.endsWith('.gz') ? new CompressedFile(path, ino, handle) : new PlainFile(path, ino, handle);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

export function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as { code?: string }).code ?? '');
}

/** `<inode>-<digest of the first record>`; null while the first record is incomplete. */
export async function keyOf(file: LogFile): Promise<string | null> {
  const buffer = Buffer.allocUnsafe(FIRST_RECORD_BYTES);
  let length = 0;
  while (length < buffer.length) {
    const read = await file.read(buffer.subarray(length), length);
    if (read === 0) break;
    length += read;
  }
  const lineEnd = buffer.subarray(0, length).indexOf(10);
  if (lineEnd < 0 && length < FIRST_RECORD_BYTES) return null;
  const first = buffer.toString('latin1', 0, lineEnd < 0 ? length : lineEnd);
  return `${file.inode.toString(36)}-${hashText(first).toString(36)}`;
}

class PlainFile implements LogFile {
  readonly path: string;
  readonly inode: number;
  readonly #handle: FileHandle;

  constructor(path: string, inode: number, handle: FileHandle) {
    this.path = path;
    this.inode = inode;
    this.#handle = handle;
  }

  async read(buffer: Buffer, offset: number): Promise<number> {
    return (await this.#handle.read(buffer, 0, buffer.length, offset)).bytesRead;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Decompressed while it is read. Reading before the current window starts again at the front. */
class CompressedFile implements LogFile {
  readonly path: string;
  readonly inode: number;
  readonly #handle: FileHandle;
  #pieces: AsyncIterator<Buffer> | null = null;
  /** Decompressed bytes, and their offset in the decompressed file. */
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;

  constructor(path: string, inode: number, handle: FileHandle) {
    this.path = path;
    this.inode = inode;
    this.#handle = handle;
  }

  async read(buffer: Buffer, offset: number): Promise<number> {
    if (this.#pieces === null || offset < this.#windowAt) await this.#restart();
    this.#skipTo(offset);
    while (this.#windowAt + this.#window.length < offset + buffer.length) {
      const next = await this.#pieces?.next();
      if (next === undefined || next.done === true) break;
      this.#window = this.#window.length === 0 ? next.value : Buffer.concat([this.#window, next.value]);
      this.#skipTo(offset);
    }
    return offset < this.#windowAt ? 0 : this.#window.copy(buffer, 0, offset - this.#windowAt);
  }

  size(): Promise<null> {
    return Promise.resolve(null);
  }

  async close(): Promise<void> {
    await this.#pieces?.return?.();
    await this.#handle.close();
  }

  #skipTo(offset: number): void {
    const skipped = Math.min(this.#window.length, offset - this.#windowAt);
    if (skipped <= 0) return;
    this.#window = this.#window.subarray(skipped);
    this.#windowAt += skipped;
  }

  async #restart(): Promise<void> {
    await this.#pieces?.return?.();
    const compressed = Readable.from(bytesOf(this.#handle), { objectMode: false });
    const decompressed = createGunzip();
    compressed.on('error', (error) => decompressed.destroy(error));
    compressed.pipe(decompressed);
    decompressed.on('close', () => compressed.destroy());
    this.#pieces = decompressed[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#window = Buffer.alloc(0);
    this.#windowAt = 0;
  }
}

async function* bytesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const buffer = Buffer.allocUnsafe(COMPRESSED_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
