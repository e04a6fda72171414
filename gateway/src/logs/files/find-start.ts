/** Finds the file and the byte where a read of a source begins. */
import { stat } from 'node:fs/promises';
import { type LogTime, secondOf } from '../../kernel/log-time.ts';
import type { ReadFrom } from '../source.ts';
import { type FilePlace, readPosition } from './file-position.ts';
import { keyOf, type LogFile, openLogFile } from './log-file.ts';
import { findFile, listFiles, openFirst, type SourceFolder } from './source-folder.ts';
import { tailStart } from './tail-start.ts';

export interface Start {
  /** Null where there is no file yet. */
  readonly file: LogFile | null;
  readonly offset: number;
  /** Lines up to here are known, and read again only because one that was open begins before. */
  readonly known: FilePlace | null;
  readonly since: LogTime | null;
  readonly gap: string | null;
}

const LOOKS_MAX = 5;
const NOTHING: Start = { file: null, offset: 0, known: null, since: null, gap: null };

/** `until` ends a tail. Null where what is wanted lies before everything that is left. */
export async function findStart(
  folder: SourceFolder,
  from: ReadFrom,
  until: FilePlace | null,
): Promise<Start> {
  const files = await listFiles(folder);
  if (files === null || files.length === 0) return NOTHING;
  switch (from.kind) {
    case 'start':
      return await openAt(files, folder);
    case 'since':
      return { ...(await openAt(await notBefore(files, from.time), folder)), since: from.time };
    case 'tail':
      return await findTail(folder, from.lines, until);
    case 'after':
      return await findAfter(folder, from.position);
  }
}

/** Where a file with this key is now, also while it is being renamed. */
export async function locate(folder: SourceFolder, key: string): Promise<{ files: string[]; at: number }> {
  let files = (await listFiles(folder)) ?? [];
  for (let tries = 0; ; tries++) {
    const at = await findFile(files, key, folder.root);
    const again = at >= 0 ? files : ((await listFiles(folder)) ?? []);
    if (at >= 0 || tries >= LOOKS_MAX || again.join() === files.join()) return { files, at };
    files = again;
  }
}

async function openAt(files: readonly string[], folder: SourceFolder): Promise<Start> {
  return { ...NOTHING, file: (await openFirst(files, folder.root))?.file ?? null };
}

async function findAfter(folder: SourceFolder, text: string): Promise<Start> {
  const position = readPosition(text);
  if (position === null)
    return { ...(await findStart(folder, { kind: 'start' }, null)), gap: 'unknown position' };
  const { at, from } = position;
  const begin = await locate(folder, from.file);
  const file = begin.at < 0 ? null : await openLogFile(begin.files[begin.at] as string, folder.root);
  if (file !== null) {
    // Nothing was open: the place itself is where to begin.
    if (from === at) return { ...NOTHING, file, offset: at.offset };
    const known = await presentPlace(folder, at);
    return { ...NOTHING, file, offset: from.offset, known };
  }
  // The line that was open is gone; the place itself may not be.
  if (from.file !== at.file) {
    const place = await locate(folder, at.file);
    const rest = place.at < 0 ? null : await openLogFile(place.files[place.at] as string, folder.root);
    if (rest !== null) return { ...NOTHING, file: rest, offset: at.offset, gap: 'rotated away' };
  }
  return { ...(await openAt(begin.files, folder)), gap: 'rotated away' };
}

/** The same place by the key its file has now, after it was packed or copied. */
export async function presentPlace(folder: SourceFolder, place: FilePlace): Promise<FilePlace | null> {
  const { files, at } = await locate(folder, place.file);
  const file = at < 0 ? null : await openLogFile(files[at] as string, folder.root);
  if (file === null) return null;
  const key = await keyOf(file);
  await file.close();
  return key === null ? null : { file: key, offset: place.offset };
}

/** Files that were last written before a time have nothing of it. */
async function notBefore(files: readonly string[], time: LogTime): Promise<string[]> {
  const written = await Promise.all(
    files.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      ),
    ),
  );
  const first = written.findIndex((writtenMs) => writtenMs / 1000 >= secondOf(time));
  return files.slice(first < 0 ? files.length - 1 : first);
}

async function findTail(folder: SourceFolder, lines: number, until: FilePlace | null): Promise<Start> {
  const place = until === null ? null : await locate(folder, until.file);
  const files = place === null ? ((await listFiles(folder)) ?? []) : place.files.slice(0, place.at + 1);
  let missing = lines;
  let found: Start = NOTHING;
  for (const [i, path] of files.toReversed().entries()) {
    const file = await openLogFile(path, folder.root);
    if (file === null) continue;
    const packed = (await file.size()) === null;
    const offset = i === 0 && until !== null ? until.offset : await lengthOf(file);
    const start = await tailStart(file, { offset, packed }, missing);
    await found.file?.close();
    found = { ...NOTHING, file, offset: start.offset };
    missing -= start.lines;
    if (missing <= 0) break;
  }
  return found;
}

/** A compressed file has to be read through to know. */
async function lengthOf(file: LogFile): Promise<number> {
  const size = await file.size();
  if (size !== null) return size;
  const buffer = Buffer.allocUnsafe(256 * 1024);
  let length = 0;
  for (;;) {
    const read = await file.read(buffer, length);
    if (read === 0) return length;
    length += read;
  }
}
