/** Finds the bytes of a request's body, by its length or in chunks. Pure; bytes are passed on without copying them. */
import { KIB } from '../kernel/bytes.ts';
import { GatheredData } from '../net/gathered-data.ts';
import { CHUNKED, type RequestFault, trailersFault } from './request-head.ts';

/** `chunk-*` are the four parts of a chunked body. */
type State = 'length' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'done';

const CHUNK_LINE_BYTES_MAX = 1 * KIB;
const TRAILER_BYTES_MAX = 16 * KIB;
const CHUNK_DIGITS_MAX = 8;

export class BodyDecoder {
  readonly #onData: (bytes: Buffer) => void;
  #state: State;
  /** Bytes of the body, or of the chunk, still to come. */
  #remaining: number;
  readonly #gathered = new GatheredData();
  fault: RequestFault | null = null;

  constructor(bodyBytes: number, onData: (bytes: Buffer) => void) {
    this.#onData = onData;
    this.#state = bodyBytes === CHUNKED ? 'chunk-size' : bodyBytes === 0 ? 'done' : 'length';
    this.#remaining = bodyBytes === CHUNKED ? 0 : bodyBytes;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Returns where it stopped: at the end of the body, at a fault, or where it needs more bytes. */
  push(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && this.#state !== 'done') {
      const next = this.#step(bytes, at);
      if (next < 0) break;
      at = next;
    }
    const data = this.#gathered.take(bytes);
    if (data !== null) this.#onData(data);
    return at;
  }

  /** Returns where the next part begins, or -1 if there is a fault or more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'length':
        return this.#counted(bytes, at);
      case 'chunk-size':
        return this.#chunkSize(bytes, at);
      case 'chunk-data':
        return this.#chunkData(bytes, at);
      case 'chunk-end':
        return this.#chunkEnd(bytes, at);
      default:
        return this.#trailers(bytes, at);
    }
  }

  #counted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#state = 'done';
    this.#onData(bytes.subarray(at, end));
    return end;
  }

  #chunkSize(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    const length = (lineFeed < 0 ? bytes.length : lineFeed) - at;
    if (length > CHUNK_LINE_BYTES_MAX) return this.#fail('bad_chunk');
    if (lineFeed < 0) return -1;
    const match = CHUNK_LINE.exec(bytes.toString('latin1', at, lineFeed));
    const digits = match?.[1];
    if (digits === undefined || digits.length > CHUNK_DIGITS_MAX) return this.#fail('bad_chunk');
    this.#remaining = Number.parseInt(digits, 16);
    this.#state = this.#remaining === 0 ? 'trailers' : 'chunk-data';
    return lineFeed + 1;
  }

  #chunkData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remaining);
    this.#remaining -= end - at;
    this.#gathered.add(bytes, at, end);
    if (this.#remaining === 0) this.#state = 'chunk-end';
    return end;
  }

  #chunkEnd(bytes: Buffer, at: number): number {
    if (bytes[at] !== CARRIAGE_RETURN) return this.#fail('bad_chunk');
    if (bytes.length - at < 2) return -1;
    if (bytes[at + 1] !== LINE_FEED) return this.#fail('bad_chunk');
    this.#state = 'chunk-size';
    return at + 2;
  }

  #trailers(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return -1;
    if (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) {
      this.#state = 'done';
      return at + 2;
    }
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if ((end < 0 ? bytes.length : end) - at > TRAILER_BYTES_MAX) return this.#fail('bad_trailer');
    if (end < 0) return -1;
    const fault = trailersFault(bytes, at, end);
    if (fault !== null) return this.#fail(fault);
    this.#state = 'done';
    return end + 4;
  }

  #fail(fault: RequestFault): number {
    this.fault = fault;
    return -1;
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** The size and its extensions, which are ignored. */
const CHUNK_LINE = /^([0-9A-Fa-f]+)(?:;[\w-]+(?:=(?:[\w-]+|"[\w -]*"))?)*\r$/;
