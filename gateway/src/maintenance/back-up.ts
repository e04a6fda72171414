/**
 * Writes a backup: the rows of all tables from one snapshot, then the blobs that the snapshot names. The caller holds the
 * blobs meanwhile (`blobs/blob-holds.store.ts`), so that all of them still exist when they are copied.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import { schemaVersion } from '../database/migrate.ts';
import { readSequences, readSnapshot } from '../database/snapshot.ts';
import { HOUR_MS } from '../kernel/durations.ts';
import { type Clock, type Instant, isoOf } from '../kernel/time.ts';
import { BackupError } from './backup-error.ts';
import { BlobCopier, type CopiedBlobs } from './copy-blobs.ts';
import { type BackupManifest, MANIFEST, MANIFEST_DIGEST, writeManifest } from './manifest.ts';
import { writeTables } from './table-parts.ts';
import { TarWriter, type WrittenPart } from './tar-writer.ts';

/** How long blobs are held at most, and so how long a backup may take. */
export const BACKUP_MS_MAX = 24 * HOUR_MS;
/** As `TarWriter` and `BlobCopier` name their files. */
const PARTIAL_NAME = /\.[0-9A-Za-z]{8}\.partial(\.blobs)?$/;

export interface BackupSource {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** Of this program. */
  readonly version: string;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly schema: number;
  readonly tables: number;
  readonly rows: number;
  readonly blobs: number;
  readonly missing_blobs: number;
}

/** Writes the file, or one with the time in its name if `path` is a folder. Nothing is left of a backup that fails. */
export async function backUp(path: string, source: BackupSource): Promise<BackupReport> {
  const startedAt = source.clock.now();
  const file = backupFile(path, isoOf(startedAt));
  removeForgottenParts(file, startedAt);
  const tar = await TarWriter.create(file, source.signal);
  let copier: BlobCopier | null = null;
  try {
    copier = await BlobCopier.create(`${tar.partial}.blobs`, source.blobs);
    const manifest = await writeParts(tar, copier, source);
    if (source.clock.now() - startedAt > BACKUP_MS_MAX)
      throw new BackupError(
        'The backup took longer than a day, so that files may have been deleted meanwhile.',
      );
    await tar.commit();
    return reportOf(file, tar.bytes, manifest);
  } catch (error) {
    await tar.abort();
    throw explained(error, file);
  } finally {
    await copier?.close();
  }
}

async function writeParts(
  tar: TarWriter,
  copier: BlobCopier,
  { db, clock, version }: BackupSource,
): Promise<Omit<BackupManifest, 'format'>> {
  const { startedAt, ...snapshot } = await readSnapshot(db, async (tx) => {
    const now = clock.now();
    await copier.listNames(tx, now);
    const { tables, parts } = await writeTables(tx, tar);
    return {
      startedAt: now,
      schema: await schemaVersion(tx),
      tables,
      parts,
      sequences: await readSequences(tx),
    };
  });
  const copied: CopiedBlobs = await copier.copyTo(tar);
  const parts: WrittenPart[] = [...snapshot.parts, ...copied.parts];
  const { count, bytes, missing } = copied;
  const manifest = {
    tollgate: version,
    engine: db.engine,
    created_at: isoOf(startedAt),
    ...snapshot,
    blobs: { count, bytes, missing },
    parts,
  };
  const { text, digest } = writeManifest(manifest);
  await tar.add(MANIFEST, Buffer.from(text));
  await tar.add(MANIFEST_DIGEST, Buffer.from(digest));
  return manifest;
}

function backupFile(path: string, at: string): string {
  const place = resolve(path);
  const isFolder = existsSync(place) && statSync(place).isDirectory();
  const file = isFolder ? resolve(place, `tollgate-${at.replaceAll(/[:.]/g, '-')}.tar`) : place;
  if (existsSync(file)) throw new BackupError(`${file} exists already. Name a new file, or a folder.`);
  return file;
}

/** A backup that was killed leaves its temporary files behind. Only those of this file, and of backups named by their time. */
function removeForgottenParts(file: string, now: Instant): void {
  const folder = dirname(file);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const ours = name.startsWith(`${basename(file)}.`) || /^tollgate-\d{4}-/.test(name);
    if (!ours || !PARTIAL_NAME.test(name)) continue;
    const path = resolve(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false });
    if (changed !== undefined && changed.mtimeMs < now - BACKUP_MS_MAX) rmSync(path, { force: true });
  }
}

function reportOf(file: string, bytes: number, manifest: Omit<BackupManifest, 'format'>): BackupReport {
  const { schema, tables, blobs } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const counts = { tables: tables.length, rows, blobs: blobs.count, missing_blobs: blobs.missing };
  return { file, bytes, schema, ...counts };
}

function explained(error: unknown, file: string): unknown {
  const { code } = error as { code?: string };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new BackupError(`${file} cannot be written: the disk is full. Nothing was left behind.`);
  if (code === 'EEXIST') return new BackupError(`${file} was created by somebody else meanwhile.`);
  return error;
}
