/**
 * An incremental, strict parser of HTTP/1.1 responses: anything ambiguous is an error. Body bytes are passed on without
 * copying.
 */
import { KIB } from '../kernel/bytes.ts';
import { GatheredData } from './gathered-data.ts';
import { ResponseError, type ResponseHeaders, readResponseHead } from './response-head.ts';

export interface ResponseEvents {
  head(status: number, headers: ResponseHeaders): void;
  data(chunk: Buffer): void;
  /** `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
}

const HEAD_BYTES_MAX = 64 * KIB;
const CHUNK_LINE_BYTES_MAX = 1024;
/** Some servers send one every few seconds while they work. */
const INFORMATIONAL_MAX = 100;
const TRAILER_BYTES_MAX = 16 * KIB;

/** `chunk-*` are the four parts of a chunked body. */
type State = 'head' | 'length' | 'close' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer' | 'done';

export class ResponseParser {
  readonly #events: ResponseEvents;
  #state: State = 'head';
  /** The beginning of a line or head that continues in the next read. */
  #rest: Buffer | null = null;
  /** Bytes of the body, or of the chunk, still to come. */
  #remaining = 0;
  #keepAlive = true;
  #current: Buffer | null = null;
  #answers = 0;
  #informational = 0;
  #trailerBytes = 0;
  readonly #gathered = new GatheredData();

  constructor(events: ResponseEvents) {
    this.#events = events;
  }

  /** Prepares for the answer to the next request on the same connection. */
  reset(): void {
    this.#answers++;
    this.#state = 'head';
    this.#rest = null;
    this.#remaining = 0;
    this.#informational = 0;
    this.#trailerBytes = 0;
    this.#keepAlive = true;
    this.#gathered.clear();
  }

  /** Throws ResponseError on malformed input. */
  push(read: Buffer): void {
    let bytes = read;
    if (this.#rest !== null) {
      bytes = Buffer.concat([this.#rest, read]);
      this.#rest = null;
    }
    try {
      this.#parse(bytes);
    } finally {
      this.#flush(bytes);
    }
  }

  /** The connection closed. Returns whether the answer was complete. */
  close(): boolean {
    if (this.#state !== 'close') return this.#state === 'done';
    this.#finish(false);
    return true;
  }

  #parse(bytes: Buffer): void {
    this.#current = bytes;
    const answer = this.#answers;
    let at = 0;
    while (at < bytes.length) {
      // Also if the next request is already in flight: these bytes came before it.
      if (this.#state === 'done' || this.#answers !== answer)
        throw new ResponseError('bytes after the answer');
      const next = this.#step(bytes, at);
      if (next < 0) {
        this.#rest = Buffer.from(bytes.subarray(at));
        return;
      }
      at = next;
    }
  }

  /** Parses one part of the answer. Returns where the next begins, or -1 if more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at);
      case 'length':
        return this.#counted(bytes, at);
      case 'chunk-data':
        return this.#chunkData(bytes, at);
      case 'close':
        this.#events.data(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      case 'chunk-size':
        return this.#chunkSize(bytes, at);
      case 'chunk-end':
        return this.#chunkEnd(bytes, at);
      default:
        return this.#trailer(bytes, at);
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (end < 0 || end - at > HEAD_BYTES_MAX) {
      if (bytes.length - at > HEAD_BYTES_MAX) throw new ResponseError('the head is too large');
      return -1;
    }
    const { status, version, headers } = readResponseHead(bytes, at, end);
    if (status < 200) {
      this.#checkInformational(status);
      return end + 4;
    }
    const { connection } = headers;
    this.#keepAlive = version === '1.1' && (connection === undefined || !/\bclose\b/i.test(connection));
    this.#state = this.#bodyState(status, headers);
    this.#events.head(status, headers);
    if (this.#state === 'length' && this.#remaining === 0) this.#finish(this.#keepAlive);
    return end + 4;
  }

  /** They precede the real answer. We never request an upgrade, so 101 is an error. */
  #checkInformational(status: number): void {
    if (status < 100 || status === 101) throw new ResponseError('not an answer');
    if (++this.#informational > INFORMATIONAL_MAX) throw new ResponseError('too many informational answers');
  }

  #bodyState(status: number, headers: ResponseHeaders): State {
    const { 'transfer-encoding': encoding, 'content-length': length } = headers;
    if (status === 204 || status === 304) return 'length';
    if (encoding !== undefined) {
      if (encoding.toLowerCase() !== 'chunked' || length !== undefined)
        throw new ResponseError('unclear body length');
      return 'chunk-size';
    }
    if (length === undefined) return 'close';
    if (!/^\d{1,15}$/.test(length)) throw new ResponseError('bad content-length');
    this.#remaining = Number(length);
    return 'length';
  }

  #counted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    this.#remaining -= end - at;
    this.#events.data(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (this.#remaining === 0) this.#finish(this.#keepAlive);
    return end;
  }

  #chunkData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    this.#remaining -= end - at;
    this.#gathered.add(bytes, at, end);
    if (this.#remaining === 0) this.#state = 'chunk-end';
    return end;
  }

  #flush(bytes: Buffer): void {
    const data = this.#gathered.take(bytes);
    if (data !== null) this.#events.data(data);
  }

  #chunkSize(bytes: Buffer, at: number): number {
    let size = 0;
    let i = at;
    for (let digit = hexDigit(bytes[i]); digit >= 0; digit = hexDigit(bytes[++i])) {
      size = size * 16 + digit;
      if (i - at >= CHUNK_DIGITS_MAX) throw new ResponseError('a chunk is too large');
    }
    // Usually the line ends right after the digits.
    const plain = i > at && bytes[i] === CARRIAGE_RETURN && bytes[i + 1] === LINE_FEED;
    const end = plain ? i + 2 : lineEnd(bytes, i);
    if (end < 0) return -1;
    // Only an extension may follow the digits.
    if (i === at || (i < end - 2 && bytes[i] !== SEMICOLON && bytes[i] !== SPACE))
      throw new ResponseError('bad chunk size');
    this.#remaining = size;
    this.#state = size === 0 ? 'trailer' : 'chunk-data';
    return end;
  }

  #chunkEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return -1;
    if (bytes[at] !== CARRIAGE_RETURN || bytes[at + 1] !== LINE_FEED)
      throw new ResponseError('a chunk does not end');
    this.#state = 'chunk-size';
    return at + 2;
  }

  /** Trailers are skipped; an empty line ends the answer. */
  #trailer(bytes: Buffer, at: number): number {
    const end = lineEnd(bytes, at);
    if (end === at + 2) this.#finish(this.#keepAlive);
    else if (end > 0) {
      this.#trailerBytes += end - at;
      if (this.#trailerBytes > TRAILER_BYTES_MAX) throw new ResponseError('the trailers are too long');
    }
    return end;
  }

  #finish(reusable: boolean): void {
    if (this.#current !== null) this.#flush(this.#current);
    this.#state = 'done';
    this.#events.end(reusable);
  }
}

/** Where the next line begins, or -1 if the end of this one has not arrived yet. */
function lineEnd(bytes: Buffer, at: number): number {
  const lineFeed = bytes.indexOf(LINE_FEED, at);
  const length = (lineFeed < 0 ? bytes.length : lineFeed) - at;
  if (length > CHUNK_LINE_BYTES_MAX) throw new ResponseError('a line is too long');
  if (lineFeed < 0) return -1;
  if (bytes[lineFeed - 1] !== CARRIAGE_RETURN) throw new ResponseError('a bare line feed');
  return lineFeed + 1;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

const CHUNK_DIGITS_MAX = 8;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const SEMICOLON = 59;
