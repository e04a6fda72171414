/**
 * The checks behind parse-json.ts, on bytes of any kind, so that browsers check the same as servers: nesting and size before
 * the engine's parser sees the text, and duplicate keys after it.
 */
import { JSON_BYTES, skipSpace, skipSpaceBack, stringEnd } from './json-bytes.ts';
import { emptyBody, notObject, notWellFormed, protoKey, tooDeep, tooMany, twice } from './json-problems.ts';

const { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } = JSON_BYTES;

export interface JsonLimits {
  readonly depthMax: number;
  readonly keysMax: number;
  /** Items of all lists and objects together. */
  readonly valuesMax: number;
  /** Lists and objects; an empty one takes many times its bytes in memory. Default: unlimited. */
  readonly containersMax?: number;
}

/** A half-open range of bytes: the value of one field of the outermost object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** How bytes become text: all of them, which throws if they are not UTF-8, and a part that is known to be. */
export interface BytesReader<Bytes extends Uint8Array> {
  all(bytes: Bytes): string;
  part(bytes: Bytes, start: number, end: number): string;
}

export interface ScannedJson {
  readonly value: Record<string, unknown>;
  readonly fields: ReadonlyMap<string, ByteRange>;
}

/** Parses bytes that must be one JSON object. */
export function scanJsonObject<Bytes extends Uint8Array>(
  bytes: Bytes,
  limits: JsonLimits,
  reader: BytesReader<Bytes>,
): ScannedJson {
  if (bytes.length === 0) throw emptyBody();
  const text = reader.all(bytes);
  const scan = new Scan(bytes, limits, reader);
  scan.run();
  return { value: parseScanned(bytes, text, scan.keys, reader), fields: scan.fields };
}

/** The rest of `scanJsonObject`, for bytes whose keys were counted. */
export function parseScanned<Bytes extends Uint8Array>(
  bytes: Bytes,
  text: string,
  keys: number,
  reader: BytesReader<Bytes>,
): Record<string, unknown> {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notObject();
  }
  // Every colon outside a string is a key; the parser keeps one value per distinct key.
  if (countKeys(value) !== keys) throw duplicateKey(bytes, reader);
  return value as Record<string, unknown>;
}

/** Finds the fields of an object that is known to be well-formed. */
export function scanFields<Bytes extends Uint8Array>(
  bytes: Bytes,
  reader: BytesReader<Bytes>,
): ReadonlyMap<string, ByteRange> {
  const scan = new Scan(bytes, NO_LIMITS, reader);
  scan.run();
  return scan.fields;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const where = /position (\d+)/.exec((cause as Error).message)?.[1];
    // The engine's message quotes the body, which must not reach a log, so it is not passed on as the cause.
    throw notWellFormed(where);
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw protoKey();
    count += 1 + countKeys((value as Record<string, unknown>)[key]);
  }
  return count;
}

/** Slow; runs only to name the duplicate key in the error. */
function duplicateKey<Bytes extends Uint8Array>(bytes: Bytes, reader: BytesReader<Bytes>): Error {
  const open: Array<Set<string>> = [];
  let found = '';
  for (let i = 0; i < bytes.length && found === ''; i++) {
    const byte = bytes[i];
    if (byte === OPEN_BRACE) open.push(new Set());
    else if (byte === CLOSE_BRACE) open.pop();
    else if (byte === QUOTE) {
      const end = stringEnd(bytes, i + 1);
      if (bytes[skipSpace(bytes, end + 1)] === COLON) {
        const key = JSON.parse(reader.part(bytes, i, end + 1)) as string;
        const keys = open.at(-1);
        if (keys?.has(key)) found = key;
        keys?.add(key);
      }
      i = end;
    }
  }
  return twice(found);
}

/** One pass over the bytes. It does not check the grammar: the engine's parser does that afterwards. */
class Scan<Bytes extends Uint8Array> {
  readonly fields = new Map<string, ByteRange>();
  keys = 0;
  readonly #bytes: Bytes;
  readonly #limits: JsonLimits;
  readonly #reader: BytesReader<Bytes>;

  constructor(bytes: Bytes, limits: JsonLimits, reader: BytesReader<Bytes>) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#reader = reader;
  }

  run(): void {
    const bytes = this.#bytes;
    const { containersMax = Number.POSITIVE_INFINITY } = this.#limits;
    let containers = 0;
    let depth = 0;
    let name: string | null = null;
    let valueStart = 0;
    let commas = 0;
    let lastString: ByteRange | null = null;
    for (let i = 0; i < bytes.length; i++) {
      switch (bytes[i]) {
        case QUOTE: {
          const end = stringEnd(bytes, i + 1);
          if (end < 0) return;
          if (depth === 1 && name === null) lastString = { start: i, end: end + 1 };
          i = end;
          break;
        }
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (++depth > this.#limits.depthMax) throw tooDeep(this.#limits.depthMax);
          if (++containers > containersMax) throw tooMany('containers', containersMax);
          break;
        case COLON:
          if (++this.keys > this.#limits.keysMax) throw tooMany('keys', this.#limits.keysMax);
          if (depth === 1) {
            // The parser rejects anything else than one string before a colon, and malformed keys.
            name = lastString === null ? null : this.#keyText(lastString);
            if (name === null) return;
            lastString = null;
            valueStart = skipSpace(bytes, i + 1);
          }
          break;
        case COMMA:
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (depth === 1 && name !== null) {
            this.fields.set(name, { start: valueStart, end: skipSpaceBack(bytes, i) });
            name = null;
          }
          if (bytes[i] !== COMMA) depth--;
          else if (++commas >= this.#limits.valuesMax) throw tooMany('values', this.#limits.valuesMax);
          break;
      }
    }
  }

  #keyText(range: ByteRange): string | null {
    const text = this.#reader.part(this.#bytes, range.start, range.end);
    if (!text.includes('\\')) return text.slice(1, -1);
    try {
      return String(JSON.parse(text));
    } catch {
      return null;
    }
  }
}

const NO_LIMITS: JsonLimits = {
  depthMax: Number.POSITIVE_INFINITY,
  keysMax: Number.POSITIVE_INFINITY,
  valuesMax: Number.POSITIVE_INFINITY,
};
