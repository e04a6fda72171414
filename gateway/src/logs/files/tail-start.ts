/** Finds a place before the last lines of a file, in windows before its end that are doubled until one holds them. */
import type { LogFile } from './log-file.ts';

export interface TailStart {
  readonly offset: number;
  /** Lines from there on. */
  readonly lines: number;
}

const BLOCK_BYTES = 64 * 1024;
/** How far back the start of a wanted line is searched. */
const OPEN_BYTES_MAX = 4 * 1024 * 1024;
const LINE_FEED = 10;
const SPACE = 32;
const LETTER_P = 80;
const LETTER_E = 101;

/** `end`: where the last line ends; null: with the file. A compressed file can only be read from its start. */
export async function tailStart(file: LogFile, end: number | null, wanted: number): Promise<TailStart> {
  const size = await file.size();
  const last = end ?? size ?? Number.POSITIVE_INFINITY;
  let bytesMax = Number.POSITIVE_INFINITY;
  for (let bytes = BLOCK_BYTES; ; bytes *= 2) {
    const from = size === null ? 0 : Math.max(0, last - bytes);
    const { offset, lines, whole } = await countLines(file, from, last);
    if (from === 0 || whole >= wanted || bytes > bytesMax) return { offset, lines };
    if (lines >= wanted) bytesMax = Math.min(bytesMax, bytes + OPEN_BYTES_MAX);
  }
}

/**
 * Counts the lines of the records that start after `from`. The first line of each stream may have started before:
 * `whole` are the lines after those.
 */
async function countLines(file: LogFile, from: number, end: number): Promise<TailStart & { whole: number }> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const seen = [from === 0, from === 0];
  let offset = from === 0 ? 0 : null;
  let [lines, whole] = [0, 0];
  // Of a record: the spaces before here, the letters of its stream, which stream it is, and whether its line goes on.
  let [spaces, letters, stream, partial] = [0, 0, 0, false];
  for (let at = from, read = 1; at < end && read > 0; at += read) {
    read = await file.read(buffer.subarray(0, Math.min(buffer.length, end - at)), at);
    for (let i = 0; i < read; i++) {
      if (spaces > 2 || offset === null) i = buffer.subarray(0, read).indexOf(LINE_FEED, i);
      if (i < 0) break;
      const byte = buffer[i];
      if (byte === LINE_FEED) {
        if (offset !== null && !partial) {
          lines++;
          whole = seen[stream] === true ? whole + 1 : 0;
          seen[stream] = true;
        }
        offset ??= at + i + 1;
        [spaces, letters, stream, partial] = [0, 0, 0, false];
      } else if (spaces === 2) {
        partial = byte === LETTER_P;
        spaces++;
      } else if (byte === SPACE) spaces++;
      else if (spaces === 1 && ++letters === 4 && byte === LETTER_E) stream = 1;
    }
  }
  return { offset: offset ?? from, lines, whole };
}
