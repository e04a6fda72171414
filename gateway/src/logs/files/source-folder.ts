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

/** `<restart>.log`, with what rotation puts behind it. */
const NAME = /^(\d{1,9})\.log(?:\.([0-9-]{1,32}?))?(\.gz)?$/;
/** Shorter than a date: logrotate's counter, where a higher number is older. */
const COUNTER_DIGITS_MAX = 4;

/** The names of a container's files, as restart numbers; null where the folder is gone. */
export async function readRestarts(folder: string): Promise<number[] | null> {
  const names = await readNames(folder);
  if (names === null) return null;
  const restarts = new Set(names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number));
  return [...restarts].sort((a, b) => a - b);
}

/** Null where the folder is gone. */
export async function listFiles({ folder, restart }: SourceFolder): Promise<string[] | null> {
  const names = await readNames(folder);
  if (names === null) return null;
  const files = names.flatMap((name) => {
    const match = NAME.exec(name);
    if (match === null || Number(match[1]) !== restart) return [];
    const [, , mark = '', packed] = match;
    // The one that is written to cannot be packed.
    if (mark === '' && packed !== undefined) return [];
    return [{ name, mark, packed: packed !== undefined }];
  });
  const plain = new Set(files.filter((file) => !file.packed).map((file) => file.mark));
  return (
    files
      // While one is being packed both are there.
      .filter((file) => !file.packed || !plain.has(file.mark))
      .sort((a, b) => compareMarks(a.mark, b.mark))
      .map((file) => join(folder, file.name))
  );
}

function compareMarks(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '') return 1;
  if (b === '') return -1;
  if (a.length <= COUNTER_DIGITS_MAX && b.length <= COUNTER_DIGITS_MAX) return Number(b) - Number(a);
  return a < b ? -1 : 1;
}

/** The index of the file with this key, -1 where it is gone. The inode is asked first, then the content. */
export async function findLogFile(files: readonly string[], key: string, root: string): Promise<number> {
  const at = await findInode(files, Number.parseInt(key, 36));
  if (at >= 0 && (await keyAt(files[at] as string, root)) === key) return at;
  // Packed or copied since, or its inode went to another file.
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

/** Looks again when files were renamed while they were looked at, but not for ever. */
const LOOKS_MAX = 20;

/**
 * Opens a file by a look at their names. Between the look and the opening a file may be renamed and another
 * take its name, so the look has to be the same before and after.
 */
export async function openWhileStill<Opened extends { file: LogFile | null }>(
  folder: SourceFolder,
  open: (files: readonly string[]) => Promise<Opened>,
): Promise<Opened> {
  let files = (await listFiles(folder)) ?? [];
  for (let looks = 1; ; looks++) {
    const opened = await open(files);
    const again = (await listFiles(folder)) ?? [];
    if (looks === LOOKS_MAX || again.join() === files.join()) return opened;
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
