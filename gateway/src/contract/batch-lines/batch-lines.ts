/**
 * Splits the bytes of a batch file into lines. The bytes may arrive in chunks of any size.
 *
 * - LF or CRLF ends a line; the last line may have no end. A lone CR is whitespace, as in JSON.
 * - A byte order mark at the start of the file is not part of the first line.
 * - Blank lines are skipped, but count in the row numbers, as in every editor.
 * - A line above the limit is discarded while it arrives, and reported when it ends.
 */

export interface BatchLinesOptions<Bytes extends Uint8Array> {
  /** Without the line end. */
  readonly bytesMax: number;
  /** `row` starts at 1. The bytes are a view of the pushed chunk and are valid only during this call. */
  readonly onLine: (bytes: Bytes, row: number) => void;
  readonly onTooLong: (row: number) => void;
  /** Makes one piece of bytes of several: browsers and servers have their own kinds of bytes. */
  readonly join: (pieces: Bytes[]) => Bytes;
}

/** Room for a byte order mark and the CR of a CRLF, which are cut off before the length is checked. */
const SLACK_BYTES = 4;

export class BatchLines<Bytes extends Uint8Array> {
  readonly #options: BatchLinesOptions<Bytes>;
  #row = 1;
  /** The start of a line whose end has not arrived yet. */
  #pieces: Bytes[] = [];
  #bytes = 0;

  constructor(options: BatchLinesOptions<Bytes>) {
    this.#options = options;
  }

  push(chunk: Bytes): void {
    let from = 0;
    for (;;) {
      const end = lineEnd(chunk, from);
      if (end < 0) break;
      // Millions of blank lines are cheap to send, so skipping them must be cheap too.
      if (this.#bytes > 0 || !isBlank(chunk, from, end)) this.#finish(part(chunk, from, end));
      this.#row++;
      from = end + 1;
    }
    if (from < chunk.length) this.#buffer(part(chunk, from, chunk.length));
  }

  /** Delivers a last line without a line end. */
  end(): void {
    if (this.#bytes > 0) this.#finish(null);
  }

  #buffer(piece: Bytes): void {
    this.#bytes += piece.length;
    if (this.#bytes <= this.#options.bytesMax + SLACK_BYTES) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #finish(last: Bytes | null): void {
    const { bytesMax, onLine, onTooLong, join } = this.#options;
    const bytes = this.#bytes + (last?.length ?? 0);
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    if (bytes > bytesMax + SLACK_BYTES) {
      onTooLong(this.#row);
      return;
    }
    if (last !== null) pieces.push(last);
    const [only] = pieces;
    const line = trimmed(pieces.length === 1 && only !== undefined ? only : join(pieces), this.#row);
    if (line.length > bytesMax) onTooLong(this.#row);
    else if (!isBlank(line, 0, line.length)) onLine(line, this.#row);
  }
}

/** A view of the same kind. */
function part<Bytes extends Uint8Array>(bytes: Bytes, start: number, end: number): Bytes {
  return bytes.subarray(start, end) as Bytes;
}

function trimmed<Bytes extends Uint8Array>(line: Bytes, row: number): Bytes {
  const start = row === 1 && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  const end = line[line.length - 1] === CARRIAGE_RETURN ? line.length - 1 : line.length;
  return start === 0 && end === line.length ? line : part(line, start, end);
}

/** The next line feed, or -1. The first two bytes are checked here because `indexOf` is slow on blank lines. */
function lineEnd(chunk: Uint8Array, from: number): number {
  if (chunk[from] === LINE_FEED) return from;
  return chunk[from + 1] === LINE_FEED ? from + 1 : chunk.indexOf(LINE_FEED, from);
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
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
