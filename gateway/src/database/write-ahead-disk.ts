/** The files of a write-ahead file: what it needs of a disk, and the real one. */

import { close, constants, fdatasync, fsync, open, write } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface WriteAheadDisk {
  /** The names of all segments, in no order. */
  list(): Promise<string[]>;
  read(name: string): Promise<Buffer>;
  /** Creates a segment with these bytes. When it resolves, a power cut loses neither the file nor its bytes. */
  create(name: string, bytes: Buffer): Promise<SegmentFile>;
  /** A power cut may bring the segment back. */
  remove(name: string): Promise<void>;
}

export interface SegmentFile {
  /** When it resolves, a power cut does not lose the bytes. When it rejects, any part of them may be there. */
  write(bytes: Buffer, position: number): Promise<void>;
  close(): Promise<void>;
}

// Descriptors, because the file handles of node:fs/promises cost more for each write.
const [openFile, closeFile, writeBytes] = [promisify(open), promisify(close), promisify(write)];
const [syncFile, syncData] = [promisify(fsync), promisify(fdatasync)];

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
/** On Linux each write waits for the disk, as if followed by fdatasync, in one trip to the thread pool. */
const WRITE_THROUGH = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** Segments in a folder, which is created when it is first needed. */
export function folderDisk(folder: string): WriteAheadDisk {
  return {
    async list() {
      try {
        return await readdir(folder);
      } catch (error) {
        if ((error as { code?: string }).code === 'ENOENT') return [];
        throw error;
      }
    },
    read: (name) => readFile(join(folder, name)),
    async create(name, bytes) {
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(join(folder, '..'));
      const file = await openFile(join(folder, name), NEW_FILE | WRITE_THROUGH, 0o600);
      try {
        await writeAll(file, bytes, 0);
        await syncFile(file);
        await syncFolder(folder);
      } catch (error) {
        await closeFile(file);
        throw error;
      }
      return {
        write: (more, position) => writeAll(file, more, position),
        close: () => closeFile(file),
      };
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

async function writeAll(file: number, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await writeBytes(file, bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw new Error('the disk took no bytes');
    done += bytesWritten;
  }
  if (WRITE_THROUGH === 0) await syncData(file);
}

/** Makes the entries of a folder durable. Windows cannot open folders, and needs no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const file = await openFile(folder, constants.O_RDONLY);
  try {
    await syncFile(file);
  } finally {
    await closeFile(file);
  }
}
