/**
 * Parses JSON from untrusted senders. Depth and size are checked on the bytes before the engine's parser sees
 * them (a deeply nested body would block it for seconds), and everything that two parsers could read differently
 * is rejected: duplicate keys, `__proto__`, invalid UTF-8.
 *
 * The scan also records where the values of the outermost object are, so that edit-fields.ts can replace one
 * field and pass on all other bytes unchanged.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { JSON_BYTES, skipSpace, skipSpaceBack, stringEnd } from './json-bytes.ts';
import {
  emptyBody,
  notObject,
  notUtf8,
  notWellFormed,
  protoKey,
  tooDeep,
  tooMany,
  twice,
} from './json-problems.ts';
import type { Inline } from './placeholders.ts';

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

export interface JsonObject {
  readonly value: Record<string, unknown>;
  readonly bytes: Buffer;
  readonly fields: ReadonlyMap<string, ByteRange>;
  /** Long strings that were cut out of `value` and `bytes`; a placeholder stands for each. */
  readonly inline?: Inline;
}

/** Parses a request body that must be one JSON object. For large bodies use parse-large-json.ts. */
export function parseJsonObject(bytes: Buffer, limits: JsonLimits): JsonObject {
  if (bytes.length === 0) throw emptyBody();
  const text = utf8Text(bytes);
  const scan = new Scan(bytes, limits);
  scan.run();
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notObject();
  }
  // Every colon outside a string is a key; the parser keeps one value per distinct key.
  if (countKeys(value) !== scan.keys) throw duplicateKey(bytes);
  return { value: value as Record<string, unknown>, bytes, fields: scan.fields };
}

/** Finds the fields of an object that is known to be well-formed. */
export function locateFields(bytes: Buffer): ReadonlyMap<string, ByteRange> {
  const scan = new Scan(bytes, NO_LIMITS);
  scan.run();
  return scan.fields;
}

function utf8Text(bytes: Buffer): string {
  // Most bodies are ASCII, which needs no decoding.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw notUtf8();
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
function duplicateKey(bytes: Buffer): Error {
  const open: Array<Set<string>> = [];
  let found = '';
  for (let i = 0; i < bytes.length && found === ''; i++) {
    const byte = bytes[i];
    if (byte === OPEN_BRACE) open.push(new Set());
    else if (byte === CLOSE_BRACE) open.pop();
    else if (byte === QUOTE) {
      const end = stringEnd(bytes, i + 1);
      if (bytes[skipSpace(bytes, end + 1)] === COLON) {
        const key = JSON.parse(bytes.toString('utf8', i, end + 1)) as string;
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
class Scan {
  readonly fields = new Map<string, ByteRange>();
  keys = 0;
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
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
          if (++containers > containersMax) throw tooMany('lists and objects', containersMax);
          break;
        case COLON:
          if (++this.keys > this.#limits.keysMax) throw tooMany('keys', this.#limits.keysMax);
          if (depth === 1) {
            // The parser rejects anything else than one string before a colon, and malformed keys.
            name = lastString === null ? null : keyText(bytes, lastString);
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
}

function keyText(bytes: Buffer, range: ByteRange): string | null {
  const text = bytes.toString('utf8', range.start, range.end);
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}

const NO_LIMITS: JsonLimits = {
  depthMax: Number.POSITIVE_INFINITY,
  keysMax: Number.POSITIVE_INFINITY,
  valuesMax: Number.POSITIVE_INFINITY,
};
