/** Reads the entries of a tar file one after the other. What is skipped is not read. */
import { type FileHandle, open } from 'node:fs/promises';
import { MIB } from '../kernel/bytes.ts';
import { BackupError } from './backup-error.ts';
import { paddingAfter, readTarHeader, TAR_BLOCK, type TarEntryFacts } from './tar-header.ts';

const PIECE_BYTES = MIB;

export interface TarEntry extends TarEntryFacts {
  pieces(): AsyncIterable<Buffer>;
  /** The whole content; only for parts whose size is limited. */
  content(): Promise<Buffer>;
}

/** Throws a `BackupError` at the first place that is not as `TarWriter` writes it, also at the end. */
export async function* readTar(file: string): AsyncGenerator<TarEntry> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    let at = 0;
    for (;;) {
      const header = await readFully(handle, at, TAR_BLOCK);
      at += TAR_BLOCK;
      if (header.every((byte) => byte === 0)) break;
      const facts = readTarHeader(header);
      if (facts === null) throw damaged('an entry has no valid header');
      const { bytes } = facts;
      if (at + bytes > size) throw torn();
      yield entryAt(handle, at, facts);
      at += bytes + paddingAfter(bytes);
    }
    const last = await readFully(handle, at, TAR_BLOCK);
    if (last.some((byte) => byte !== 0) || size !== at + TAR_BLOCK)
      throw damaged('something follows its end');
  } finally {
    await handle.close();
  }
}

function entryAt(handle: FileHandle, start: number, facts: TarEntryFacts): TarEntry {
  const { bytes } = facts;
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let read = 0; read < bytes; read += PIECE_BYTES)
      yield await readFully(handle, start + read, Math.min(PIECE_BYTES, bytes - read));
  }
  return { ...facts, pieces, content: () => readFully(handle, start, bytes) };
}

async function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) throw torn();
    at += bytesRead;
  }
  return buffer;
}

function torn(): BackupError {
  return new BackupError(
    'The backup is not complete: the file ends too early. Copy it again, or use another backup.',
  );
}

export function damaged(what: string): BackupError {
  return new BackupError(`The backup is damaged: ${what}. Copy it again, or use another backup.`);
}
