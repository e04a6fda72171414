/**
 * Reading JSON that strangers send. Depth and size are checked on the bytes before the engine's
 * parser sees them (it would block for seconds on a depth bomb), and whatever two parsers could
 * understand differently is refused: duplicate keys, `__proto__`, invalid UTF-8.
 *
 * The scan also remembers where the values of the outermost object lie, so that one field can be
 * replaced in the bytes and all the rest be passed on untouched.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { Inline } from './inline-pieces.ts';
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

export interface JsonLimits {
  readonly depthMax: number;
  readonly keysMax: number;
  /** Items of all lists and objects together. */
  readonly valuesMax: number;
  /** Lists and objects; an empty one takes many times its bytes. Any number where it is left out. */
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
  /** Long strings, left out of value and bytes: each has a placeholder there. */
  readonly inline?: Inline;
}

/** Parses a request body that must be one JSON object; a large one is read by read-large-json.ts. */
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

/** Finds the fields of an object that a trusted peer wrote and that was parsed already. */
export function locateFields(bytes: Buffer): ReadonlyMap<string, ByteRange> {
  const scan = new Scan(bytes, NO_LIMITS);
  scan.run();
  return scan.fields;
}

/** The bytes with some fields of the outermost object replaced, and new ones put at its end. */
export function replaceFields(
  object: Pick<JsonObject, 'bytes' | 'fields'>,
  changes: Readonly<Record<string, string>>,
): Buffer {
  const { bytes, fields } = object;
  const edits: Array<ByteRange & { text: string }> = [];
  let added = '';
  for (const [name, json] of Object.entries(changes)) {
    const range = fields.get(name);
    if (range === undefined) added += `,${JSON.stringify(name)}:${json}`;
    else edits.push({ ...range, text: json });
  }
  if (added !== '') {
    const brace = bytes.lastIndexOf(CLOSE_BRACE);
    edits.push({ start: brace, end: brace, text: fields.size === 0 ? added.slice(1) : added });
  }
  edits.sort((a, b) => a.start - b.start);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const edit of edits) {
    pieces.push(bytes.subarray(from, edit.start), Buffer.from(edit.text));
    from = edit.end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}

/** The bytes without some fields of the outermost object. */
export function removeFields(
  object: Pick<JsonObject, 'bytes' | 'fields'>,
  names: readonly string[],
): Pick<JsonObject, 'bytes' | 'fields'> {
  let { bytes, fields } = object;
  for (const name of names) {
    const range = fields.get(name);
    if (range === undefined) continue;
    bytes = cutField(bytes, range);
    fields = locateFields(bytes);
  }
  return { bytes, fields };
}

/** Takes out the key before a value as well, and the comma on one side of the two. */
function cutField(bytes: Buffer, value: ByteRange): Buffer {
  const colon = bytes.lastIndexOf(COLON, value.start - 1);
  let start = bytes.lastIndexOf(QUOTE, skipSpaceBack(bytes, colon) - 2);
  while (bytes[start - 1] === BACKSLASH) start = bytes.lastIndexOf(QUOTE, start - 1);
  let end = value.end;
  const next = skipSpace(bytes, end);
  const before = skipSpaceBack(bytes, start);
  if (bytes[next] === COMMA) end = next + 1;
  else if (bytes[before - 1] === COMMA) start = before - 1;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
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
    // The engine's message quotes the body, which must not reach a log: it is no cause to pass on.
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

/** The slow road, taken only to name the key that stands twice. */
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

/** One pass over the bytes. It trusts nothing and checks no grammar: the parser does that after it. */
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
            // Anything but one string before one colon is for the parser to refuse, as is a bad key.
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

/** The index of the quote that closes a string, or -1. Long strings are searched natively, dense escapes here. */
export function stringEnd(bytes: Buffer, from: number): number {
  let i = from;
  for (;;) {
    for (const near = Math.min(bytes.length, i + 48); i < near; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) return i;
      if (byte === BACKSLASH) i++;
    }
    const quote = bytes.indexOf(QUOTE, i);
    if (quote < 0) return -1;
    let slashes = 0;
    while (quote - 1 - slashes >= i && bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
    i = quote + 1;
  }
}

export function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  while (isSpace(bytes[i])) i++;
  return i;
}

function skipSpaceBack(bytes: Buffer, end: number): number {
  let i = end;
  while (isSpace(bytes[i - 1])) i--;
  return i;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

const NO_LIMITS: JsonLimits = {
  depthMax: Number.POSITIVE_INFINITY,
  keysMax: Number.POSITIVE_INFINITY,
  valuesMax: Number.POSITIVE_INFINITY,
};
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
