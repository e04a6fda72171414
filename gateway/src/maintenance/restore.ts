/**
 * Restores a backup into an empty installation: blobs first, then all rows in one transaction, so that an interrupted
 * restore leaves no row and can be repeated. Then the schema is brought up to this program and the books are verified.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { loadSnapshot, requireEmptyDatabase, type SnapshotLoader } from '../database/load-snapshot.ts';
import { migrate, newestSchema } from '../database/migrate.ts';
import type { Clock } from '../kernel/time.ts';
import { verifyBooks } from '../reports/verify-books.store.ts';
import { BackupError } from './backup-error.ts';
import { type BackupManifest, BLOB_FOLDER } from './manifest.ts';
import { damaged, readTar } from './read-tar.ts';
import { decompressLines, tableOfPart } from './table-parts.ts';
import { verifyBackup } from './verify-backup.ts';

export interface RestoreTarget {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
}

export interface RestoreReport {
  readonly file: string;
  readonly created_at: string;
  readonly written_by: string;
  readonly schema: number;
  readonly migrated: readonly string[];
  readonly tables: number;
  readonly rows: number;
  readonly blobs: number;
  readonly missing_blobs: number;
  readonly spaces: number;
  /** Of the books; zero is as it should be. */
  readonly disagreements: number;
}

/** The file, or the newest backup in a folder. */
export function findBackup(path: string): string {
  const place = resolve(path);
  if (!existsSync(place)) throw new BackupError(`There is no file or folder ${place}.`);
  if (!statSync(place).isDirectory()) return place;
  const newest = readdirSync(place)
    .filter((name) => /^tollgate-\d{4}-.*\.tar$/.test(name))
    .toSorted()
    .at(-1);
  if (newest === undefined) throw new BackupError(`There is no backup (tollgate-….tar) in ${place}.`);
  return resolve(place, newest);
}

/** Reads and checks the whole file before `open` opens the target, and changes nothing if it is rejected. */
export async function restoreBackup(
  file: string,
  open: () => Promise<RestoreTarget & { close(): Promise<void> }>,
): Promise<RestoreReport> {
  const manifest = await verifyBackup(file);
  requireKnownSchema(manifest);
  const target = await open();
  try {
    return await restoreInto(target, file, manifest);
  } finally {
    await target.close();
  }
}

async function restoreInto(
  { db, blobs, clock }: RestoreTarget,
  file: string,
  manifest: BackupManifest,
): Promise<RestoreReport> {
  await requireEmptyDatabase(db);
  await restoreBlobs(file, blobs);
  const { schema, sequences } = manifest;
  await loadSnapshot(db, { schema, sequences, clock }, (loader) => loadTables(file, manifest, loader));
  const migrated = await migrate(db, clock);
  const { spaces, disagreements } = await verifyBooks(db);
  return {
    file,
    created_at: manifest.created_at,
    written_by: `tollgate ${manifest.tollgate}`,
    schema,
    migrated,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    blobs: manifest.blobs.count,
    missing_blobs: manifest.blobs.missing,
    spaces: spaces.length,
    disagreements: disagreements.length,
  };
}

function requireKnownSchema({ schema, tollgate }: BackupManifest): void {
  const newest = newestSchema();
  if (schema <= newest) return;
  throw new BackupError(
    `The backup has schema version ${schema}, but this tollgate only knows ${newest}. ` +
      `Restore it with tollgate ${tollgate}, which wrote it, or a newer version.`,
  );
}

/** A blob that an earlier attempt restored is replaced by the same bytes. */
async function restoreBlobs(file: string, blobs: Blobs): Promise<void> {
  for await (const entry of readTar(file)) {
    if (!entry.name.startsWith(BLOB_FOLDER)) continue;
    const sink = await blobs.write(entry.name.slice(BLOB_FOLDER.length));
    try {
      for await (const piece of entry.pieces()) await sink.append(piece);
      await sink.commit();
    } finally {
      await sink.abort();
    }
  }
}

async function loadTables(file: string, manifest: BackupManifest, loader: SnapshotLoader): Promise<void> {
  const loaded = new Map(manifest.tables.map((table) => [table.name, { table, rows: 0 }]));
  for await (const entry of readTar(file)) {
    const name = tableOfPart(entry.name);
    if (name === null) continue;
    const found = loaded.get(name);
    if (found === undefined) throw damaged(`its manifest has no table ${name}`);
    const lines = await decompressLines(await entry.content());
    await loader.insert(found.table, lines);
    found.rows += lines.length;
  }
  for (const { table, rows } of loaded.values())
    if (rows !== table.rows) throw damaged(`${table.name} has ${rows} rows instead of ${table.rows}`);
}
