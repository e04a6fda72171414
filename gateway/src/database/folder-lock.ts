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

/** Keeps a second process out of an embedded data folder, because two would corrupt it. */
export function lockFolder(folder: string): FolderLock {
  try {
    return holdLock(join(folder, 'lock'));
  } catch (cause) {
    throw new DatabaseRefused(
      `The data folder ${folder} is in use by another tollgate process. Stop that one, ` +
        'choose another folder with --data, or use PostgreSQL (DATABASE_URL) for several processes.',
      { cause },
    );
  }
}

/** Throws if another process holds the lock. */
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
