/** Finds where the last lines of a file start. Reads backward in blocks, so large files are cheap too. */
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

/**
 * Counts `F` records backward from `end`. Stops where no line of either stream is incomplete. A compressed
 * file cannot be read backward: it is read from its start.
 */
export async function tailStart(
  file: LogFile,
  end: { offset: number; compressed: boolean },
  wanted: number,
): Promise<TailStart> {
  if (end.compressed) return { offset: 0, lines: await countForward(file, end.offset) };
  return await countBackward(file, end.offset, wanted);
}

/** A record ends a line unless the letter after its second space is P. */
async function countForward(file: LogFile, end: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let [lines, spaces, partial] = [0, 0, false];
  for (let at = 0, read = 1; at < end && read > 0; at += read) {
    read = await file.read(buffer.subarray(0, Math.min(buffer.length, end - at)), at);
    for (let i = 0; i < read; i++) {
      const byte = buffer[i];
      if (byte === LINE_FEED) {
        if (!partial) lines++;
        [spaces, partial] = [0, false];
      } else if (spaces === 2) {
        partial = byte === LETTER_P;
        spaces++;
      } else if (byte === SPACE && spaces < 2) spaces++;
    }
  }
  return lines;
}

async function countBackward(file: LogFile, end: number, wanted: number): Promise<TailStart> {
  const count = new BackwardCount(wanted);
  const records = new BackwardRecords(file, end);
  for (;;) {
    const record = await records.previous();
    if (record === null) return { offset: 0, lines: count.lines };
    if (!count.take(record, end)) return { offset: record.end, lines: count.lines };
  }
}

class BackwardCount {
  readonly #wanted: number;
  /** Per stream: whether the last record seen (the next one in the file) may be the rest of a line. */
  readonly #needsStart: [boolean, boolean] = [false, false];
  #enoughAt = 0;
  lines = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** False: this record is not needed. */
  take(record: Found, end: number): boolean {
    if (this.lines < this.#wanted) {
      if (!record.partial) this.lines++;
      this.#needsStart[record.stream] = true;
      this.#enoughAt = record.start;
      return true;
    }
    // Enough lines: continue only to the starts of lines that are already counted.
    if (this.#enoughAt - record.start > OPEN_BYTES_MAX || end === record.end) return false;
    if (!record.partial) this.#needsStart[record.stream] = false;
    const open = this.#needsStart[0] || this.#needsStart[1];
    if (!open) return false;
    if (!record.partial) this.lines++;
    return true;
  }
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly partial: boolean;
  /** 0 stdout, 1 stderr. */
  readonly stream: 0 | 1;
}

class BackwardRecords {
  readonly #file: LogFile;
  #bytes: Buffer = Buffer.alloc(0);
  /** The offset of the bytes in the file, and the end of the remaining records in the bytes. */
  #at: number;
  #end = 0;

  constructor(file: LogFile, end: number) {
    this.#file = file;
    this.#at = end;
  }

  async previous(): Promise<Found | null> {
    for (;;) {
      const lineFeed = this.#end < 2 ? -1 : this.#bytes.lastIndexOf(LINE_FEED, this.#end - 2);
      if (lineFeed >= 0 || this.#at === 0) {
        if (this.#end === 0) return null;
        const start = lineFeed + 1;
        const found = this.#read(start, this.#end);
        this.#end = start;
        return found;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const length = Math.min(BLOCK_BYTES, this.#at);
    const block = Buffer.allocUnsafe(length);
    await this.#file.read(block, this.#at - length);
    this.#at -= length;
    this.#bytes = Buffer.concat([block, this.#bytes.subarray(0, this.#end)]);
    this.#end += length;
  }

  #read(start: number, end: number): Found {
    const head = this.#bytes.subarray(start, Math.min(end, start + 64));
    const timeEnd = head.indexOf(SPACE);
    const streamEnd = timeEnd < 0 ? -1 : head.indexOf(SPACE, timeEnd + 1);
    return {
      start: this.#at + start,
      end: this.#at + end,
      partial: streamEnd >= 0 && head[streamEnd + 1] === LETTER_P,
      stream: timeEnd >= 0 && head[timeEnd + 4] === LETTER_E ? 1 : 0,
    };
  }
}
