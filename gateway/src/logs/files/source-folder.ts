/** The files of one source, oldest first: `0.log.20261115-101112.gz`, `0.log.20261115-101212`, `0.log`. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from './file-position.ts';
import { isGone, keyOf, type LogFile, openLogFile } from './log-file.ts';

export interface SourceFolder {
  readonly folder: string;
  readonly root: string;
  readonly restart: number;
}

/** `<restart>.log`, with the suffixes that rotation adds. */
const NAME = /^(\d{1,9})\.log(?:\.([0-9-]{1,32}?))?(\.gz)?$/;
/** Suffixes shorter than a date are counters of logrotate: a higher number is older. */
const COUNTER_DIGITS_MAX = 4;

/** The restart numbers that have files; null if the folder is gone. */
export async function readRestarts(folder: string): Promise<number[] | null> {
  const names = await readNames(folder);
  if (names === null) return null;
  const restarts = new Set(names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number));
  return [...restarts].sort((a, b) => a - b);
}

/** The files of one run, oldest first; null if the folder is gone. */
export async function listFiles({ folder, restart }: SourceFolder): Promise<string[] | null> {
  const names = await readNames(folder);
  if (names === null) return null;
  const files = names.flatMap((name) => {
    const match = NAME.exec(name);
    if (match === null || Number(match[1]) !== restart) return [];
    const [, , suffix = '', gz] = match;
    // The current file is never compressed.
    if (suffix === '' && gz !== undefined) return [];
    return [{ name, suffix, compressed: gz !== undefined }];
  });
  const plain = new Set(files.filter((file) => !file.compressed).map((file) => file.suffix));
  return (
    files
      // While a file is being compressed, both versions exist.
      .filter((file) => !file.compressed || !plain.has(file.suffix))
      .sort((a, b) => compareSuffixes(a.suffix, b.suffix))
      .map((file) => join(folder, file.name))
  );
}

function compareSuffixes(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  if (a.length <= COUNTER_DIGITS_MAX && b.length <= COUNTER_DIGITS_MAX) return Number(b) - Number(a);
  return a < b ? -1 : 1;
}

/** The index of the file with this key; -1 if it is gone. Compares inodes first, then contents. */
export async function findLogFile(files: readonly string[], key: string, root: string): Promise<number> {
  const at = await findInode(files, Number.parseInt(key, 36));
  if (at >= 0 && (await keyAt(files[at] as string, root)) === key) return at;
  // It was compressed or copied, or its inode was reused.
  for (const [i, path] of files.entries()) {
    const other = i === at ? null : await keyAt(path, root);
    if (other !== null && digestOf(other) === digestOf(key)) return i;
  }
  return -1;
}

export async function findInode(files: readonly string[], inode: number): Promise<number> {
  for (const [at, path] of files.entries()) {
    const found = await stat(path).then(
      ({ ino }) => ino,
      () => null,
    );
    if (found === inode) return at;
  }
  return -1;
}

async function keyAt(path: string, root: string): Promise<string | null> {
  const file = await openLogFile(path, root);
  try {
    return file === null ? null : await keyOf(file);
  } finally {
    await file?.close();
  }
}

/** Attempts while files are being renamed. */
const ATTEMPTS_MAX = 20;

/**
 * Lists the files and opens one of them. In between a file may be renamed and another one take its name, so
 * the list must be the same before and after.
 */
export async function openUnchanged<Opened extends { file: LogFile | null }>(
  folder: SourceFolder,
  open: (files: readonly string[]) => Promise<Opened>,
): Promise<Opened> {
  let files = (await listFiles(folder)) ?? [];
  for (let attempt = 1; ; attempt++) {
    const opened = await open(files);
    const again = (await listFiles(folder)) ?? [];
    if (attempt === ATTEMPTS_MAX || again.join() === files.join()) return opened;
    await opened.file?.close();
    files = again;
  }
}

export async function openFirst(
  files: readonly string[],
  root: string,
): Promise<{ file: LogFile; at: number } | null> {
  for (const [at, path] of files.entries()) {
    const file = await openLogFile(path, root);
    if (file !== null) return { file, at };
  }
  return null;
}

async function readNames(folder: string): Promise<string[] | null> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
