/** Opens what a backup reads, and what a restore writes to, for commands. */
import { rmSync } from 'node:fs';
import { deleteBlobHold, insertBlobHold, knowsBlobHolds } from '../blobs/blob-holds.store.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Clock } from '../kernel/time.ts';
import { BACKUP_MS_MAX, type BackupSource } from '../maintenance/back-up.ts';
import type { RestoreTarget } from '../maintenance/restore.ts';
import { recoverCalls } from '../metering/recover-calls.ts';
import { askServer } from './ask-server.ts';
import { openBlobStore } from './open-stores.ts';
import type { Settings } from './settings.ts';
import { version } from './version.ts';

interface HeldDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

/** Blobs are held until it is closed. */
export async function openBackupSource(
  settings: Settings,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<BackupSource & { close(): Promise<void> }> {
  const blobs = await openBlobStore(settings);
  const begun =
    settings.databaseUrl === null ? await askServer(settings.dataFolder, 'backup.begin', {}) : null;
  const held =
    begun === null ? await openOwn(settings, clock) : await openCopy(settings, begun.result, clock);
  return { ...held, blobs, clock, version, signal };
}

export async function openRestoreTarget(
  settings: Settings,
  clock: Clock,
): Promise<RestoreTarget & { close(): Promise<void> }> {
  const blobs = await openBlobStore(settings);
  const db = await openPlaceOf(settings, clock);
  return { db, blobs, clock, close: () => db.close() };
}

/** The database itself: PostgreSQL, or an embedded one that no server uses. */
async function openOwn(settings: Settings, clock: Clock): Promise<HeldDatabase> {
  const db = await openPlaceOf(settings, clock);
  try {
    await recoverCalls(db, { folder: settings.dataFolder, clock });
    const now = clock.now();
    const hold = (await knowsBlobHolds(db))
      ? await insertBlobHold(db, { now, until: now + BACKUP_MS_MAX })
      : null;
    return {
      db,
      async close() {
        if (hold !== null) await deleteBlobHold(db, hold);
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The copy that the running server made of its embedded database. */
async function openCopy(
  { dataFolder }: Settings,
  { folder, hold }: { folder: string; hold: string },
  clock: Clock,
): Promise<HeldDatabase> {
  const end = async (): Promise<void> => {
    rmSync(folder, { recursive: true, force: true });
    await askServer(dataFolder, 'backup.end', { hold });
  };
  try {
    const db = await openDatabase({ url: null, folder, clock });
    return {
      db,
      async close() {
        await db.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function openPlaceOf({ databaseUrl, dataFolder: folder }: Settings, clock: Clock): Promise<Database> {
  return await openDatabase({ url: databaseUrl?.reveal() ?? null, folder, clock });
}
