/** Reads a whole backup and compares every part with its digest, before anything of it is used. */
import { createHash } from 'node:crypto';
import {
  type BackupManifest,
  BLOB_FOLDER,
  BLOB_INDEX_FOLDER,
  MANIFEST,
  MANIFEST_DIGEST,
  readManifest,
} from './manifest.ts';
import { damaged, readTar, type TarEntry } from './read-tar.ts';
import { decompressLines } from './table-parts.ts';
import type { WrittenPart } from './tar-writer.ts';

/** Throws a `BackupError` if the backup is not exactly as it was written. */
export async function verifyBackup(file: string): Promise<BackupManifest> {
  const parts = new Map<string, WrittenPart>();
  const blobs = new Map<string, WrittenPart>();
  const ends = new Map<string, string>();
  let counted = 0;
  for await (const entry of readTar(file)) {
    if (ends.has(MANIFEST_DIGEST)) throw damaged(`${entry.name} follows its end`);
    if (entry.name === MANIFEST || entry.name === MANIFEST_DIGEST) {
      ends.set(entry.name, (await entry.content()).toString('utf8'));
      continue;
    }
    const found = await digestOf(entry);
    if (entry.name.startsWith(BLOB_FOLDER)) {
      counted += 1;
      blobs.set(entry.name, found);
    } else parts.set(entry.name, found);
    if (entry.name.startsWith(BLOB_INDEX_FOLDER)) await checkBlobs(entry, blobs);
  }
  const manifest = readManifest(textOf(ends, MANIFEST), textOf(ends, MANIFEST_DIGEST));
  checkParts(manifest.parts, parts);
  if (blobs.size > 0 || counted !== manifest.blobs.count)
    throw damaged('its files are not those of its manifest');
  return manifest;
}

async function digestOf(entry: TarEntry): Promise<WrittenPart> {
  const digest = createHash('sha256');
  for await (const piece of entry.pieces()) digest.update(piece);
  return { name: entry.name, bytes: entry.bytes, sha256: digest.digest('hex') };
}

/** Forgets the blobs that are as they should be. */
async function checkBlobs(index: TarEntry, blobs: Map<string, WrittenPart>): Promise<void> {
  const lines = await decompressLines(await index.content()).catch(() => {
    throw damaged(`${index.name} was changed`);
  });
  const wanted = lines.map((line) => JSON.parse(line) as WrittenPart);
  for (const blob of wanted) {
    requireSame(blob, blobs.get(blob.name));
    blobs.delete(blob.name);
  }
}

function checkParts(wanted: readonly WrittenPart[], found: ReadonlyMap<string, WrittenPart>): void {
  for (const part of wanted) requireSame(part, found.get(part.name));
  if (found.size !== wanted.length) throw damaged('it has parts that are not in its manifest');
}

function requireSame(wanted: WrittenPart, found: WrittenPart | undefined): void {
  if (found === undefined) throw damaged(`${wanted.name} is missing`);
  if (found.sha256 !== wanted.sha256 || found.bytes !== wanted.bytes)
    throw damaged(`${wanted.name} was changed`);
}

function textOf(ends: ReadonlyMap<string, string>, name: string): string {
  const text = ends.get(name);
  if (text === undefined) throw damaged(`it has no ${name}`);
  return text;
}
