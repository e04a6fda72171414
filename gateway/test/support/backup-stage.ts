/** Backups for tests: the settings of a place, a backup of it, a restore into a new one, and what a database holds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackupSource, openRestoreTarget } from '../../src/app/backup-source.ts';
import { readConfig } from '../../src/app/read-config.ts';
import { type RunningServer, serve } from '../../src/app/serve.ts';
import { readSettings, type Settings } from '../../src/app/settings.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { listTables, readRows, readSnapshot } from '../../src/database/snapshot.ts';
import { systemClock as clock } from '../../src/kernel/time.ts';
import { type BackupReport, backUp } from '../../src/maintenance/back-up.ts';
import { type RestoreReport, restoreBackup } from '../../src/maintenance/restore.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { type Engine, makePlace, type TestPlace } from './engines.ts';

export interface Installed {
  readonly folder: string;
  readonly databaseUrl: string | null;
  readonly configFile: string;
  /** Of a bucket. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Restored extends Installed {
  readonly report: RestoreReport;
  readonly place: TestPlace;
}

const never = new AbortController().signal;

export function makeFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-test-backup-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function environmentOf({ databaseUrl, env }: Installed): Record<string, string> {
  return { PORT: '0', OPS_PORT: '0', ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }), ...env };
}

export function settingsOf(installed: Installed): Settings {
  const { folder, configFile: file } = installed;
  const { content } = readConfig(file, {});
  return readSettings({ data: folder, config: file }, environmentOf(installed), {
    file,
    demo: false,
    content,
  });
}

/** As `tollgate backup` does, with a server or without one. */
export async function backUpOf(path: string, installed: Installed, signal = never): Promise<BackupReport> {
  const source = await openBackupSource(settingsOf(installed), { clock, signal });
  try {
    return await backUp(path, source);
  } finally {
    await source.close();
  }
}

/** As `tollgate restore` does, into a new place. */
export async function restoreTo(
  engine: Engine,
  file: string,
  from: Pick<Installed, 'configFile' | 'env'>,
): Promise<Restored> {
  const place = await makeEmptyPlace(engine);
  const { folder, databaseUrl } = place;
  const installed: Installed = { ...from, folder, databaseUrl };
  try {
    const report = await restoreBackup(file, () => openRestoreTarget(settingsOf(installed), clock));
    return { ...installed, place, report };
  } catch (error) {
    await place.remove();
    throw error;
  }
}

/** To empty a copy of the embedded database that tests share takes less time than to create one. */
async function makeEmptyPlace(engine: Engine): Promise<TestPlace> {
  if (engine === 'postgres') return await makePlace(engine, { empty: true });
  const place = await makePlace(engine);
  await withDatabase(place, (db) =>
    db.transaction((tx) => tx.script('drop schema public cascade; create schema public')),
  );
  return place;
}

/** Starts a server on a place that nobody serves. */
export async function serveAt(installed: Installed): Promise<{ url: string; server: RunningServer }> {
  const server = await serve(
    { data: installed.folder, config: installed.configFile },
    environmentOf(installed),
    { say: () => undefined, log: createLog({ level: 'silent', write: () => undefined }) },
  );
  return { url: server.status().baseUrl.replace('localhost', '127.0.0.1'), server };
}

export async function withDatabase<T>(
  { folder, databaseUrl }: Pick<Installed, 'folder' | 'databaseUrl'>,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openDatabase({ url: databaseUrl, folder, clock });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** All rows of all tables, in an order of their own; the same on both engines. */
export async function allRows(db: Database): Promise<Record<string, string[]>> {
  return await readSnapshot(db, async (tx) => {
    const found: Record<string, string[]> = {};
    for (const table of await listTables(tx)) {
      const lines: string[] = [];
      for await (const rows of readRows(tx, table)) lines.push(...rows);
      if (table.name !== 'blob_holds') found[table.name] = lines.toSorted();
    }
    return found;
  });
}
