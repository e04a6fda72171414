/** Finds the file and the offset where a read of a source starts. */
import { stat } from 'node:fs/promises';
import { type LogTime, secondOf } from '../../kernel/log-time.ts';
import type { ReadFrom } from '../source.ts';
import { type FileOffset, readFilePosition } from './file-position.ts';
import { keyOf, type LogFile, openLogFile } from './log-file.ts';
import { findLogFile, openFirst, openUnchanged, type SourceFolder } from './source-folder.ts';
import { tailStart } from './tail-start.ts';

export interface Start {
  /** Null: there is no file yet. */
  readonly file: LogFile | null;
  readonly offset: number;
  /** Lines up to here are known; they are read again because an incomplete line starts before. */
  readonly known: FileOffset | null;
  readonly since: LogTime | null;
  readonly gap: string | null;
}

const NO_FILE: Start = { file: null, offset: 0, known: null, since: null, gap: null };

/** `until`: where a tail ends. */
export async function findStart(
  folder: SourceFolder,
  from: ReadFrom,
  until: FileOffset | null,
): Promise<Start> {
  return await openUnchanged(folder, async (files) => {
    switch (from.kind) {
      case 'start':
        return await openAt(files, folder);
      case 'since':
        return { ...(await openAt(await notBefore(files, from.time), folder)), since: from.time };
      case 'tail':
        // One line more: it provides the position before the tail.
        return await findTail(files, folder, { lines: from.lines + 1, until });
      case 'after':
        return await findAfter(files, folder, from.position);
    }
  });
}

/** The same offset with the current key of its file, which changes when it is compressed or copied. */
export async function currentOffset(folder: SourceFolder, known: FileOffset): Promise<FileOffset | null> {
  const { file } = await openUnchanged(folder, async (files) => ({
    file: await openKnown(files, folder, known.file),
  }));
  const key = file === null ? null : await keyOf(file);
  await file?.close();
  return key === null ? null : { file: key, offset: known.offset };
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
  return { ...NO_FILE, file: (await openFirst(files, folder.root))?.file ?? null };
}

async function findAfter(files: readonly string[], folder: SourceFolder, text: string): Promise<Start> {
  const position = readFilePosition(text);
  if (position === null) return { ...(await openAt(files, folder)), gap: 'unknown position' };
  const { at, from } = position;
  const file = await openKnown(files, folder, from.file);
  // No line was incomplete: start at the position itself.
  if (file !== null && from === at) return { ...NO_FILE, file, offset: at.offset };
  const known = await currentOffset(folder, at);
  if (file !== null) return { ...NO_FILE, file, offset: from.offset, known };
  // The incomplete line is gone, but the position itself may still exist.
  const rest = known === null ? null : await openKnown(files, folder, known.file);
  if (rest !== null) return { ...NO_FILE, file: rest, offset: at.offset, gap: 'rotated away' };
  return { ...(await openAt(files, folder)), gap: 'rotated away' };
}

/** Skips files that were last written before the time. */
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
  { lines, until }: { lines: number; until: FileOffset | null },
): Promise<Start> {
  const last = until === null ? files.length - 1 : await findLogFile(files, until.file, folder.root);
  let missing = lines;
  let found = NO_FILE;
  for (let i = last; i >= 0 && missing > 0; i--) {
    const file = await openLogFile(files[i] as string, folder.root);
    if (file === null) continue;
    const start = await tailStart(file, i === last && until !== null ? until.offset : null, missing);
    await found.file?.close();
    found = { ...NO_FILE, file, offset: start.offset };
    missing -= start.lines;
  }
  return found;
}
