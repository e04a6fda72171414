/**
 * Joins the records of a container log (`<time> stdout|stderr P|F <text>`) into lines. A long line is written
 * as several `P` records and an `F` record; records of the other stream may come in between. Pure.
 */
import { type LogTime, readLogTime } from '../../kernel/log-time.ts';
import { CUT_MARK, LINE_BYTES_MAX } from '../source.ts';
import { type FileOffset, printFilePosition } from './file-position.ts';

export interface JoinedLine {
  readonly time: LogTime;
  readonly text: string;
  readonly position: string;
}

interface Partial {
  readonly time: LogTime;
  /** Bytes, because a character may be split between two records. */
  readonly pieces: Buffer[];
  readonly from: FileOffset;
  bytes: number;
  cut: boolean;
}

const SPACE = 32;
const LETTER_P = 80;
const LETTER_E = 101;
const EPOCH: LogTime = '1970-01-01T00:00:00.000000000Z';

export class RecordJoiner {
  /** The incomplete lines of stdout and stderr. */
  readonly #open: [Partial | null, Partial | null] = [null, null];
  #lastTime: LogTime = EPOCH;

  /** `range` is the record in `bytes`, without its line feed; `at` and `next` are its start and end in the file. */
  push(
    bytes: Buffer,
    range: { start: number; end: number },
    at: FileOffset,
    next: FileOffset,
  ): JoinedLine | null {
    const { start, end } = range;
    const timeEnd = bytes.indexOf(SPACE, start);
    const streamEnd = timeEnd < 0 ? -1 : bytes.indexOf(SPACE, timeEnd + 1);
    const time =
      timeEnd > start && timeEnd < end ? readLogTime(bytes.toString('latin1', start, timeEnd)) : null;
    if (time === null || streamEnd < 0 || streamEnd >= end) {
      // Not a record: returned as it is, with the timestamp of the line before it.
      return this.#line(textOf(bytes, start, end), this.#lastTime, next);
    }
    this.#lastTime = time;
    let tagEnd = bytes.indexOf(SPACE, streamEnd + 1);
    if (tagEnd < 0 || tagEnd > end) tagEnd = end;
    const stream = bytes[timeEnd + 4] === LETTER_E ? 1 : 0;
    const partial = bytes[streamEnd + 1] === LETTER_P;
    const textStart = Math.min(tagEnd + 1, end);
    const open = this.#open[stream];
    if (!partial && open === null) return this.#line(textOf(bytes, textStart, end), time, next);
    const line = open ?? { time, pieces: [], from: at, bytes: 0, cut: false };
    this.#open[stream] = line;
    const room = LINE_BYTES_MAX - line.bytes;
    const taken = Math.min(room, end - textStart);
    line.cut ||= taken < end - textStart;
    line.bytes += taken;
    if (taken > 0) line.pieces.push(Buffer.from(bytes.subarray(textStart, textStart + taken)));
    if (partial) return null;
    this.#open[stream] = null;
    return this.#line(textOfPartial(line), line.time, next);
  }

  /** Returns the incomplete lines: their writer is gone. */
  flush(next: FileOffset): JoinedLine[] {
    const lines = this.#open.flatMap((open, stream) => {
      if (open === null) return [];
      this.#open[stream] = null;
      return [{ time: open.time, text: textOfPartial(open), position: '' }];
    });
    return lines.map((line) => ({ ...line, position: printFilePosition(next, null) }));
  }

  /** Drops incomplete lines: the file was truncated. */
  reset(): void {
    this.#open[0] = this.#open[1] = null;
  }

  #line(text: string, time: LogTime, next: FileOffset): JoinedLine {
    return { time, text, position: printFilePosition(next, this.#earliest()) };
  }

  #earliest(): FileOffset | null {
    const [out, err] = this.#open;
    if (out === null || err === null) return (out ?? err)?.from ?? null;
    // If they are in different files, the older one started in the previous file.
    if (out.from.file === err.from.file) return out.from.offset < err.from.offset ? out.from : err.from;
    return out.time < err.time ? out.from : err.from;
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  if (end - start <= LINE_BYTES_MAX) return bytes.toString('utf8', start, end);
  return bytes.toString('utf8', start, start + LINE_BYTES_MAX) + CUT_MARK;
}

function textOfPartial({ pieces, cut }: Partial): string {
  return Buffer.concat(pieces).toString('utf8') + (cut ? CUT_MARK : '');
}
