/**
 * Splits the bytes of a batch file into lines, in pieces cut anywhere. What counts as a line:
 *
 * - LF ends one, and so does CRLF; the last may have no end. A lone CR ends nothing: to JSON it is a space.
 * - A byte order mark at the very start is no part of the first line.
 * - Lines of spaces only are skipped. They still count in the numbers of the rows, as in every editor.
 * - A line above the limit is dropped as it comes, and reported when it ends.
 */

export interface BatchLinesOptions {
  /** Without the line end. */
  readonly bytesMax: number;
  /** `row` counts from 1. The bytes are a window into what was pushed, so they are good for this call only. */
  readonly onLine: (bytes: Buffer, row: number) => void;
  readonly onTooLong: (row: number) => void;
}

/** A byte order mark and the CR of a CRLF are no part of a line, but stand in it until they are cut off. */
const SLACK_BYTES = 4;

export class BatchLines {
  readonly #options: BatchLinesOptions;
  #row = 1;
  /** The beginning of a line whose end has not come. */
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(options: BatchLinesOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = lineEnd(chunk, from);
      if (end < 0) break;
      // Millions of blank lines are quickly sent, and must be as quickly skipped.
      if (this.#bytes > 0 || !isBlank(chunk, from, end)) this.#finish(chunk.subarray(from, end));
      this.#row++;
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  /** Delivers a last line that had no end. */
  end(): void {
    if (this.#bytes > 0) this.#finish(EMPTY);
  }

  #hold(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.#options.bytesMax + SLACK_BYTES) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #finish(last: Buffer): void {
    const { bytesMax, onLine, onTooLong } = this.#options;
    const bytes = this.#bytes + last.length;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    if (bytes > bytesMax + SLACK_BYTES) {
      onTooLong(this.#row);
      return;
    }
    const line = trimmed(pieces.length === 0 ? last : Buffer.concat([...pieces, last]), this.#row);
    if (line.length > bytesMax) onTooLong(this.#row);
    else if (!isBlank(line, 0, line.length)) onLine(line, this.#row);
  }
}

function trimmed(line: Buffer, row: number): Buffer {
  const start = row === 1 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  const end = line[line.length - 1] === CARRIAGE_RETURN ? line.length - 1 : line.length;
  return start === 0 && end === line.length ? line : line.subarray(start, end);
}

/** The next line feed, or -1. One that is near is found without asking the engine. */
function lineEnd(chunk: Buffer, from: number): number {
  if (chunk[from] === LINE_FEED) return from;
  return chunk[from + 1] === LINE_FEED ? from + 1 : chunk.indexOf(LINE_FEED, from);
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB = 9;
const EMPTY = Buffer.alloc(0);
