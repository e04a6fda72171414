/** Finds the file and the byte where a read of a source begins. */
import { stat } from 'node:fs/promises';
import { type LogTime, secondOf } from '../../kernel/log-time.ts';
import type { ReadFrom } from '../source.ts';
import { type FilePlace, readPosition } from './file-position.ts';
import { keyOf, type LogFile, openLogFile } from './log-file.ts';
import { findLogFile, openFirst, openWhileStill, type SourceFolder } from './source-folder.ts';
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

const NOTHING: Start = { file: null, offset: 0, known: null, since: null, gap: null };

/** `until` ends a tail. */
export async function findStart(
  folder: SourceFolder,
  from: ReadFrom,
  until: FilePlace | null,
): Promise<Start> {
  return await openWhileStill(folder, async (files) => {
    switch (from.kind) {
      case 'start':
        return await openAt(files, folder);
      case 'since':
        return { ...(await openAt(await notBefore(files, from.time), folder)), since: from.time };
      case 'tail':
        return await findTail(files, folder, { lines: from.lines, until });
      case 'after':
        return await findAfter(files, folder, from.position);
    }
  });
}

/** The same place by the key its file has now, after it was packed or copied. */
export async function presentPlace(folder: SourceFolder, place: FilePlace): Promise<FilePlace | null> {
  const { file } = await openWhileStill(folder, async (files) => ({
    file: await openKnown(files, folder, place.file),
  }));
  const key = file === null ? null : await keyOf(file);
  await file?.close();
  return key === null ? null : { file: key, offset: place.offset };
}

async function openKnown(
  files: readonly string[],
  folder: SourceFolder,
  key: string,
): Promise<LogFile | null> {
  const at = await findLogFile(files, key, folder.root);
  return at < 0 ? null : await openLogFile(files[at] as string, folder.root);
}

async function openAt(files: readonly string[], folder: SourceFolder): Promise<Start> {
  return { ...NOTHING, file: (await openFirst(files, folder.root))?.file ?? null };
}

async function findAfter(files: readonly string[], folder: SourceFolder, text: string): Promise<Start> {
  const position = readPosition(text);
  if (position === null) return { ...(await openAt(files, folder)), gap: 'unknown position' };
  const { at, from } = position;
  const file = await openKnown(files, folder, from.file);
  // Nothing was open: the place itself is where to begin.
  if (file !== null && from === at) return { ...NOTHING, file, offset: at.offset };
  const known = await presentPlace(folder, at);
  if (file !== null) return { ...NOTHING, file, offset: from.offset, known };
  // The line that was open is gone; the place itself may not be.
  const rest = known === null ? null : await openKnown(files, folder, known.file);
  if (rest !== null) return { ...NOTHING, file: rest, offset: at.offset, gap: 'rotated away' };
  return { ...(await openAt(files, folder)), gap: 'rotated away' };
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

async function findTail(
  files: readonly string[],
  folder: SourceFolder,
  { lines, until }: { lines: number; until: FilePlace | null },
): Promise<Start> {
  const last = until === null ? files.length - 1 : await findLogFile(files, until.file, folder.root);
  let missing = lines;
  let found: Start = NOTHING;
  for (let i = last; i >= 0 && (missing > 0 || i === last); i--) {
    const file = await openLogFile(files[i] as string, folder.root);
    if (file === null) continue;
    const packed = (await file.size()) === null;
    const offset = i === last && until !== null ? until.offset : await lengthOf(file);
    const start = await tailStart(file, { offset, packed }, missing);
    await found.file?.close();
    found = { ...NOTHING, file, offset: start.offset };
    missing -= start.lines;
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
