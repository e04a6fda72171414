/**
 * Folders of which each belongs to one process, as long as it runs. A folder that a process left, because it was killed
 * or could not finish, is found by the next one.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { randomBase62 } from '../kernel/ids.ts';
import { type FolderLock, holdLock } from './folder-lock.ts';

const NAME_CHARACTERS = 16;
const FOLDER_NAME = /^[0-9A-Za-z]{16}$/;
const LOCK = 'lock';
const TRIES_MAX = 5;

export interface LockedFolder {
  readonly path: string;
  /** Unlocks the folder. Removes it if there is nothing in it but `ownFiles`. */
  leave(ownFiles?: readonly string[]): void;
}

/** A new folder that no other process takes for one that was left. */
export function createLockedFolder(parent: string): LockedFolder {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (let tried = 1; ; tried++) {
    const path = join(parent, randomBase62(NAME_CHARACTERS));
    mkdirSync(path, { mode: 0o700 });
    const lock = tried < TRIES_MAX ? lockIn(path) : holdLock(join(path, LOCK));
    if (lock === null) continue;
    // A power cut must not lose the folder of files that are durable.
    for (const folder of [path, parent, dirname(parent)]) syncFolderNow(folder);
    return lockedFolder(path, lock);
  }
}

/** The names of all such folders, whether a process has locked them or not. */
export function listFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  const entries = readdirSync(parent, { withFileTypes: true });
  return entries.flatMap(({ name }) => (FOLDER_NAME.test(name) ? [join(parent, name)] : [])).sort();
}

/** Locks the folders that no process has locked. */
export function lockLeftFolders(parent: string): LockedFolder[] {
  return listFolders(parent).flatMap((path) => {
    const lock = lockIn(path);
    return lock === null ? [] : [lockedFolder(path, lock)];
  });
}

/** Null if another process holds it, or has just removed it as one that was left. */
function lockIn(path: string): FolderLock | null {
  const file = join(path, LOCK);
  try {
    const lock = holdLock(file);
    if (existsSync(file)) return lock;
    lock.release();
    return null;
  } catch {
    return null;
  }
}

function lockedFolder(path: string, lock: FolderLock): LockedFolder {
  let isLeft = false;
  return {
    path,
    leave(ownFiles = []) {
      if (isLeft) return;
      isLeft = true;
      const own = [LOCK, ...ownFiles];
      try {
        if (readdirSync(path).every((name) => own.includes(name))) {
          // The lock last: who still sees it cannot lock it before the folder is gone.
          for (const name of own.toReversed()) rmSync(join(path, name), { force: true });
          rmdirSync(path);
        }
      } catch {
        // The next process that finds it removes it.
      } finally {
        lock.release();
      }
    },
  };
}

/** Windows cannot open folders, and needs no such thing. */
function syncFolderNow(path: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
