/** Splits one reply of the log API into lines: `<timestamp> <text>`. */
import { hashText } from '../../kernel/hash-text.ts';
import { type LogTime, readLogTime } from '../../kernel/log-time.ts';
import type { Clock } from '../../kernel/time.ts';
import { CUT_MARK, LINE_BYTES_MAX } from '../source.ts';
import type { ApiBody } from './api-body.ts';

export interface TimedLine {
  readonly time: LogTime;
  readonly text: string;
  readonly hash: number;
}

const LINE_FEED = 10;
const HEAD_BYTES_MAX = 64;

export class LogLines {
  readonly #body: ApiBody;
  readonly #clock: Clock;
  readonly #complete: boolean;
  #rest: Buffer = Buffer.alloc(0);
  #lastTime: LogTime | null;
  /** Skips the rest of a line that is too long. */
  #skipping = false;
  #pending: Promise<Buffer | null> | null = null;

  /**
   * `since`: the timestamp for a first line that has none; null: such a line is ignored. `complete`: the last line
   * may have no line feed, because the run has ended.
   */
  constructor(body: ApiBody, options: { clock: Clock; since: LogTime | null; complete: boolean }) {
    this.#body = body;
    this.#clock = options.clock;
    this.#complete = options.complete;
    this.#lastTime = options.since;
  }

  /** The next lines; null at the end; `quiet` after that long without a line. Rejects if the connection was cut. */
  async next(quietMs: number | null): Promise<TimedLine[] | null | 'quiet'> {
    for (;;) {
      const piece = await this.#piece(quietMs);
      if (piece === 'quiet') return 'quiet';
      const lines = piece === null ? this.#last() : this.#split(piece);
      if (lines.length > 0) return lines;
      if (piece === null) return null;
    }
  }

  close(): void {
    this.#body.close();
  }

  async #piece(quietMs: number | null): Promise<Buffer | null | 'quiet'> {
    this.#pending ??= this.#body.next();
    const { promise: quiet, resolve } = Promise.withResolvers<'quiet'>();
    const cancel = quietMs === null ? null : this.#clock.after(quietMs, () => resolve('quiet'));
    try {
      const piece = await (cancel === null ? this.#pending : Promise.race([this.#pending, quiet]));
      if (piece !== 'quiet') this.#pending = null;
      return piece;
    } finally {
      cancel?.();
    }
  }

  #last(): TimedLine[] {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    const none = rest.length === 0 || this.#skipping || !this.#complete;
    return none ? [] : this.#line(rest, 0, rest.length);
  }

  #split(piece: Buffer): TimedLine[] {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const lines: TimedLine[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      if (this.#skipping) this.#skipping = false;
      else lines.push(...this.#line(bytes, from, end));
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
    if (this.#rest.length > LINE_BYTES_MAX + HEAD_BYTES_MAX) {
      if (!this.#skipping) lines.push(...this.#line(this.#rest, 0, this.#rest.length));
      this.#skipping = true;
      this.#rest = Buffer.alloc(0);
    }
    return lines;
  }

  #line(bytes: Buffer, start: number, end: number): TimedLine[] {
    const head = bytes.subarray(start, Math.min(end, start + HEAD_BYTES_MAX)).indexOf(32);
    const time = head < 0 ? null : readLogTime(bytes.toString('latin1', start, start + head));
    const at = time ?? this.#lastTime;
    if (at === null) return [];
    this.#lastTime = at;
    const from = time === null ? start : start + head + 1;
    const cut = end - from > LINE_BYTES_MAX;
    const text = bytes.toString('utf8', from, cut ? from + LINE_BYTES_MAX : end) + (cut ? CUT_MARK : '');
    return [{ time: at, text, hash: hashText(`${at} ${text}`) }];
  }
}
