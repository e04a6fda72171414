/**
 * The walk over the structure of JSON: the brackets, braces, colons and commas outside of strings. It counts them and
 * enforces limits, and tells a reader of those it wants to know. It does not check the grammar, which is left to a
 * parser, and it can go on in the next chunk of bytes.
 */
import { JSON_BYTES } from './json-bytes.ts';
import { type JsonLimits, NO_LIMITS } from './json-limits.ts';
import { tooDeep, tooMany } from './json-problems.ts';
import { stringEnd } from './skip-string.ts';

const { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } = JSON_BYTES;

export interface StructureReader {
  /** A byte of the structure, and the depth of the list or object it belongs to. Returns false to end the walk. */
  meet(byte: number, at: number, depth: number): boolean;
  /** Reads the string that begins at a quote. Returns where the quote is that ends it, or -1 to end the walk. */
  string?(bytes: Uint8Array, quote: number): number;
}

export class StructureWalk {
  keys = 0;
  commas = 0;
  containers = 0;
  /** Whether the last byte of the structure was a colon, so that a value comes next. */
  afterColon = false;
  /** The reader meets nothing that is deeper. It may change this. */
  depthRead: number;
  /** The last string that was not deeper, with its quotes, if the reader left it to be skipped. */
  stringStart = -1;
  stringEnd = -1;
  #depth = 0;
  readonly #limits: Required<JsonLimits>;
  readonly #reader: StructureReader;
  readonly #skips: boolean;

  constructor(limits: JsonLimits, reader: StructureReader, depthRead = NO_LIMITS.depthMax) {
    this.#limits = { ...NO_LIMITS, ...limits };
    this.#reader = reader;
    this.#skips = reader.string === undefined;
    this.depthRead = depthRead;
  }

  /** Walks over JSON, or over more of it, from a place outside of strings on. */
  walk(bytes: Uint8Array, from = 0): void {
    const { depthMax, keysMax, valuesMax, containersMax } = this.#limits;
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i] as number;
      if (COUNTED[byte] === 0) continue;
      if (byte === QUOTE) {
        i = this.#skips ? this.#skip(bytes, i) : (this.#reader.string?.(bytes, i) ?? -1);
        if (i < 0) return;
        continue;
      }
      this.afterColon = byte === COLON;
      let depth = this.#depth;
      if (byte === COMMA) {
        if (++this.commas >= valuesMax) throw tooMany('values', valuesMax);
      } else if (byte === COLON) {
        if (++this.keys > keysMax) throw tooMany('keys', keysMax);
      } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        depth = ++this.#depth;
        if (depth > depthMax) throw tooDeep(depthMax);
        if (++this.containers > containersMax) throw tooMany('containers', containersMax);
      } else this.#depth--;
      if (depth <= this.depthRead && !this.#reader.meet(byte, i, depth)) return;
    }
  }

  #skip(bytes: Uint8Array, quote: number): number {
    const end = stringEnd(bytes, quote + 1);
    if (this.#depth <= this.depthRead) {
      this.stringStart = quote;
      this.stringEnd = end + 1;
    }
    return end;
  }
}

/** 1 for the bytes that structure JSON outside of strings. */
const COUNTED = new Uint8Array(256);
for (const byte of [QUOTE, COLON, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET])
  COUNTED[byte] = 1;
