/**
 * Locks that one process holds at a time. A lock is an exclusive SQLite transaction on a file: the operating system
 * releases it however the process ends.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseRefused } from './database.ts';

export interface FolderLock {
  release(): void;
}

/** The code of SQLite for a file that somebody else has locked, in its lowest byte. */
const BUSY = 5;

/** Keeps a second process out of an embedded data folder, because two would corrupt it. */
export function lockFolder(folder: string): FolderLock {
  const path = join(folder, 'lock');
  try {
    return holdLock(path);
  } catch (cause) {
    const { errcode = 0, message } = cause as Error & { errcode?: number };
    const reason =
      (errcode & 0xff) === BUSY
        ? `The data folder ${folder} is in use by another tollgate process. Stop that one, ` +
          'choose another folder with --data, or use PostgreSQL (DATABASE_URL) for several processes.'
        : `The file ${path} cannot be locked: ${message}. Check that this user may write to the folder, ` +
          'and that its file system has locks.';
    throw new DatabaseRefused(reason, { cause });
  }
}

/** Throws if another process holds the lock, or if the file cannot be opened. */
export function holdLock(path: string): FolderLock {
  const file = new DatabaseSync(path);
  try {
    file.exec('pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    throw error;
  }
  return { release: () => file.close() };
}
