/**
 * Keeps a second process out of an embedded data folder, because two would corrupt it. The lock is an exclusive SQLite
 * transaction: the operating system releases it however the process ends.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseRefused } from './database.ts';

export interface FolderLock {
  release(): void;
}

export function lockFolder(folder: string): FolderLock {
  const file = new DatabaseSync(join(folder, 'lock'));
  try {
    file.exec('pragma busy_timeout = 0; pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    file.close();
    throw new DatabaseRefused(
      `The data folder ${folder} is in use by another tollgate process. Stop that one, ` +
        'choose another folder with --data, or use PostgreSQL (DATABASE_URL) for several processes.',
      { cause },
    );
  }
  return { release: () => file.close() };
}
