/**
 * Copies of an embedded database for backups. No other process can read the database, so the server copies it, and the
 * command that asked for it reads the copy and removes it.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deleteBlobHold, insertBlobHold } from '../blobs/blob-holds.store.ts';
import type { Database } from '../database/database.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { BACKUP_MS_MAX } from '../maintenance/back-up.ts';

const FOLDER = 'snapshots';

export interface BackupSnapshot {
  /** A data folder with the copy. */
  readonly folder: string;
  /** The hold of the blobs that the copy names; the command ends it. */
  readonly hold: string;
}

export async function beginSnapshot(db: Database, dataFolder: string, clock: Clock): Promise<BackupSnapshot> {
  if (db.copyTo === undefined)
    throw new Problem('not_found', {
      detail: 'The database of this server is PostgreSQL: read it directly.',
    });
  const parent = join(dataFolder, FOLDER);
  removeForgotten(parent, clock);
  const folder = join(parent, randomBase62(12));
  const now = clock.now();
  const hold = await insertBlobHold(db, { now, until: now + BACKUP_MS_MAX });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await db.copyTo(folder);
    return { folder, hold };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    await deleteBlobHold(db, hold);
    throw error;
  }
}

export async function endSnapshot(db: Database, input: unknown): Promise<null> {
  const { hold } = input as { hold?: unknown };
  if (typeof hold === 'string') await deleteBlobHold(db, hold);
  return null;
}

/** A command that was killed leaves its copy behind. */
function removeForgotten(parent: string, clock: Clock): void {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name);
    if (statSync(folder).mtimeMs < clock.now() - BACKUP_MS_MAX)
      rmSync(folder, { recursive: true, force: true });
  }
}
