/** The manifest of a backup: what is in it, and the digest of each part. It is the last part but one. */
import type { SequencePosition } from '../database/snapshot.ts';
import { sha256 } from '../kernel/digest.ts';
import { BackupError } from './backup-error.ts';
import { damaged } from './read-tar.ts';
import type { WrittenPart } from './tar-writer.ts';

export const MANIFEST = 'manifest.json';
/** The digest of the manifest; the last part, so that a backup without it is not complete. */
export const MANIFEST_DIGEST = 'manifest.sha256';
export const BLOB_FOLDER = 'blobs/';
/** Lines `{ name, bytes, sha256 }` of the blobs before it. */
export const BLOB_INDEX_FOLDER = 'blob-digests/';
export const TABLE_FOLDER = 'tables/';

const FORMAT = 1;

export interface BackedUpTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface BackupManifest {
  readonly format: number;
  /** The version of the program that wrote it. */
  readonly tollgate: string;
  /** The number of the newest migration. */
  readonly schema: number;
  readonly engine: string;
  readonly created_at: string;
  readonly tables: readonly BackedUpTable[];
  readonly sequences: readonly SequencePosition[];
  readonly blobs: {
    readonly count: number;
    readonly bytes: number;
    /** How many rows name a blob that the store did not have. */
    readonly missing: number;
  };
  /** All parts but blobs, whose digests are in parts of their own, and the manifest itself. */
  readonly parts: readonly WrittenPart[];
}

export function writeManifest(manifest: Omit<BackupManifest, 'format'>): { text: string; digest: string } {
  const text = `${JSON.stringify({ format: FORMAT, ...manifest }, null, 1)}\n`;
  return { text, digest: `${sha256(text)}  ${MANIFEST}\n` };
}

/** Checks the digest before it trusts anything in the text. */
export function readManifest(text: string, digest: string): BackupManifest {
  if (digest !== `${sha256(text)}  ${MANIFEST}\n`) throw damaged(`${MANIFEST} was changed`);
  const manifest = JSON.parse(text) as BackupManifest;
  if (manifest.format === FORMAT) return manifest;
  throw new BackupError(
    `The backup has format ${manifest.format}, but this tollgate only knows ${FORMAT}. ` +
      `Use tollgate ${manifest.tollgate}, which wrote it, or a newer version.`,
  );
}
