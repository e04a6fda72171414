/** One file of a source, plain or compressed, read from any place in it. */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { hashText } from '../../kernel/hash-text.ts';

const FIRST_RECORD_BYTES = 256;
const PACKED_BYTES = 64 * 1024;

export interface LogFile {
  readonly inode: number;
  readonly path: string;
  /** Bytes into `buffer`; 0 at the end of what is there. */
  read(buffer: Buffer, offset: number): Promise<number>;
  /** Of a compressed file unknown. */
  size(): Promise<number | null>;
  close(): Promise<void>;
}

/** Null where it is gone, or leads out of the root. */
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

/** `<inode>-<digest of the first record>`; null while the first record is not whole. */
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

/** Unpacked as it is read, from the front; going back beyond what is at hand begins again. */
class CompressedFile implements LogFile {
  readonly path: string;
  readonly inode: number;
  readonly #handle: FileHandle;
  #pieces: AsyncIterator<Buffer> | null = null;
  /** Unpacked and at hand, and where that begins. */
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;

  constructor(path: string, inode: number, handle: FileHandle) {
    this.path = path;
    this.inode = inode;
    this.#handle = handle;
  }

  async read(buffer: Buffer, offset: number): Promise<number> {
    if (this.#pieces === null || offset < this.#windowAt) await this.#begin();
    this.#passOver(offset);
    while (this.#windowAt + this.#window.length < offset + buffer.length) {
      const next = await this.#pieces?.next();
      if (next === undefined || next.done === true) break;
      this.#window = this.#window.length === 0 ? next.value : Buffer.concat([this.#window, next.value]);
      this.#passOver(offset);
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

  #passOver(offset: number): void {
    const passed = Math.min(this.#window.length, offset - this.#windowAt);
    if (passed <= 0) return;
    this.#window = this.#window.subarray(passed);
    this.#windowAt += passed;
  }

  async #begin(): Promise<void> {
    await this.#pieces?.return?.();
    const packed = Readable.from(bytesOf(this.#handle), { objectMode: false });
    const unpacked = createGunzip();
    packed.on('error', (error) => unpacked.destroy(error));
    packed.pipe(unpacked);
    unpacked.on('close', () => packed.destroy());
    this.#pieces = unpacked[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#window = Buffer.alloc(0);
    this.#windowAt = 0;
  }
}

async function* bytesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const buffer = Buffer.allocUnsafe(PACKED_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
