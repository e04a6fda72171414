/**
 * Framing of streams: server-sent events and lines. Both accept text in pieces of any size and deliver the same frames
 * wherever the pieces begin and end; both reject frames above a maximum size.
 *
 * The text may be decoded UTF-8 or a byte string (one character per byte, latin1): every delimiter is ASCII, so framing
 * is the same, and a relay need not decode what it only passes on.
 */

export class FrameTooLong extends Error {
  override readonly name = 'FrameTooLong';
  constructor(charactersMax: number) {
    super(`a frame is longer than ${charactersMax} characters`);
  }
}

/** `event` is empty unless the stream named one; `data` lines are joined by a line feed. */
export type OnSseFrame = (data: string, event: string) => void;

/** Incremental reader of server-sent events (WHATWG rules; `id` and `retry` are not kept). */
export class SseFramer {
  readonly #charactersMax: number;
  readonly #onFrame: OnSseFrame;
  readonly #lines: LineFramer;
  #data = '';
  #hasData = false;
  #event = '';
  #atStart = true;

  constructor(options: { charactersMax: number; onFrame: OnSseFrame }) {
    this.#charactersMax = options.charactersMax;
    this.#onFrame = options.onFrame;
    this.#lines = new LineFramer({
      charactersMax: options.charactersMax,
      loneCarriageReturns: true,
      onLine: (line) => this.#line(line),
    });
  }

  push(piece: string): void {
    const rest = this.#wholeFrames(piece);
    if (rest < piece.length) this.#lines.push(rest === 0 ? piece : piece.slice(rest));
  }

  /** True if a frame has begun and its blank line has not come; such a frame is not delivered. */
  get unfinished(): boolean {
    return this.#hasData || this.#event !== '' || this.#lines.unfinished;
  }

  /**
   * Fast path: most pieces are complete frames, `data: …` with or without an `event: …` before it. Delivers those at the
   * front of the piece and returns where the rest begins.
   */
  #wholeFrames(piece: string): number {
    const clean = !this.unfinished && !this.#lines.awaitsLineFeed && piece.length <= this.#charactersMax;
    if (!clean || piece.includes('\r')) return 0;
    let at = 0;
    for (;;) {
      const eventEnd = piece.startsWith('event: ', at) ? piece.indexOf('\n', at) : at - 1;
      const data = eventEnd + 1;
      if ((data === 0 && at > 0) || !piece.startsWith('data: ', data)) break;
      const end = piece.indexOf('\n', data);
      if (end < 0 || piece.charCodeAt(end + 1) !== LINE_FEED) break;
      this.#atStart = false;
      this.#onFrame(piece.slice(data + 6, end), data === at ? '' : piece.slice(at + 7, eventEnd));
      at = end + 2;
    }
    return at;
  }

  #line(line: string): void {
    const text = this.#atStart ? line.replace(BYTE_ORDER_MARK, '') : line;
    this.#atStart = false;
    if (text === '') {
      this.#dispatch();
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const from = text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
    const value = colon < 0 ? '' : text.slice(from);
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#addData(value);
  }

  #addData(value: string): void {
    this.#data = this.#hasData ? `${this.#data}\n${value}` : value;
    this.#hasData = true;
    if (this.#data.length > this.#charactersMax) throw new FrameTooLong(this.#charactersMax);
  }

  #dispatch(): void {
    const [data, event, hasData] = [this.#data, this.#event, this.#hasData];
    this.#data = '';
    this.#event = '';
    this.#hasData = false;
    if (hasData) this.#onFrame(data, event);
  }
}

/** Incremental reader of lines that end with LF or CRLF (optionally also with a lone CR). */
export class LineFramer {
  readonly #charactersMax: number;
  readonly #onLine: (line: string) => void;
  readonly #loneCarriageReturns: boolean;
  #rest = '';
  #afterCarriageReturn = false;

  constructor(options: {
    charactersMax: number;
    onLine: (line: string) => void;
    loneCarriageReturns?: boolean;
  }) {
    this.#charactersMax = options.charactersMax;
    this.#onLine = options.onLine;
    this.#loneCarriageReturns = options.loneCarriageReturns ?? false;
  }

  push(piece: string): void {
    if (piece === '') return;
    let from = 0;
    // The last piece ended with a carriage return, and this line feed belongs to it.
    if (this.#afterCarriageReturn && piece.charCodeAt(0) === LINE_FEED) from = 1;
    this.#afterCarriageReturn = false;
    // Each kind of end is searched again only after it was passed, so that a piece is read once.
    let carriageReturn = this.#loneCarriageReturns ? piece.indexOf('\r', from) : -1;
    let lineFeed = piece.indexOf('\n', from);
    while (from < piece.length) {
      if (carriageReturn >= 0 && carriageReturn < from) carriageReturn = piece.indexOf('\r', from);
      if (lineFeed >= 0 && lineFeed < from) lineFeed = piece.indexOf('\n', from);
      const end =
        carriageReturn < 0 || (lineFeed >= 0 && lineFeed < carriageReturn) ? lineFeed : carriageReturn;
      if (end < 0) break;
      const line = this.#rest + piece.slice(from, end);
      this.#rest = '';
      from = end + 1;
      if (piece.charCodeAt(end) === CARRIAGE_RETURN) {
        if (from === piece.length) this.#afterCarriageReturn = true;
        else if (piece.charCodeAt(from) === LINE_FEED) from++;
      }
      this.#deliver(line);
    }
    if (from < piece.length) this.#rest += piece.slice(from);
    if (this.#rest.length > this.#charactersMax) this.#checkRest();
  }

  /** Delivers the last line if it had no line feed. */
  end(): void {
    const line = this.#rest;
    this.#rest = '';
    if (line !== '') this.#deliver(line);
  }

  get unfinished(): boolean {
    return this.#rest !== '';
  }

  /** True right after a carriage return whose line feed may still come. */
  get awaitsLineFeed(): boolean {
    return this.#afterCarriageReturn;
  }

  #deliver(line: string): void {
    const text = this.#withoutLineEnd(line);
    if (text.length > this.#charactersMax) throw new FrameTooLong(this.#charactersMax);
    this.#onLine(text);
  }

  /** A carriage return at the very end may be half of a line end and is not counted. */
  #checkRest(): void {
    const { length } = this.#withoutLineEnd(this.#rest);
    if (length > this.#charactersMax) throw new FrameTooLong(this.#charactersMax);
  }

  #withoutLineEnd(line: string): string {
    return !this.#loneCarriageReturns && line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
/** Decoded, or as the three bytes of a byte string. */
const BYTE_ORDER_MARK = /^(?:\uFEFF|\u00EF\u00BB\u00BF)/;
