/**
 * Cuts long strings out of a JSON body while it arrives: an image is megabytes of base64 in a few hundred bytes of
 * JSON. Only the rest is parsed; the strings are passed on in the pieces they came in. What parsing would cost is
 * counted along the way, and a body over a limit is rejected before it is complete.
 */

import { KIB } from '../kernel/bytes.ts';
import { usesInside } from '../kernel/node-insides.ts';
import { JSON_BYTES, skipSpace, skipSpaceBack } from './json-bytes.ts';
import { notWellFormed, tooDeep, tooMany } from './json-problems.ts';
import { KeptBytes, type TakeMemory } from './kept-bytes.ts';
import { type Inline, placeholder } from './placeholders.ts';
import type { ByteRange, JsonLimits } from './scan-json.ts';
import { IN_STRING, MALFORMED, NOT_ENDED, plainScanner, SCANNED_BYTES_MAX } from './string-scanner.ts';
import { Utf8Check } from './utf8-check.ts';
import { wasmScanner } from './wasm-scanner.ts';

const { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } = JSON_BYTES;

const scanner = usesInside('string-scanner') ? wasmScanner() : plainScanner();

/** Longer strings are cut out. Every field that the gateway reads is shorter, except prompts. */
const LONG_BYTES = 32 * KIB;
/** How much of the beginning of a long string stays, to recognise what it is. */
const HEAD_BYTES = 256;
/** The texts of a conversation are cut out earlier: the provider reads them, and the gateway does not. */
const CONVERSATION_FIELDS = new Set(['arguments', 'content', 'output', 'text', 'thinking']);
const CONVERSATION_BYTES = 512;
/** Putting more of them back would take longer than an event-loop turn should. */
const CONVERSATION_CUTS_MAX = 4_000;
const FIELD_NAME_BYTES_MAX = 64;
/** Media, which is never read; everything else is text. */
const MEDIA = /^data:(?:image|video|audio)\/[\w.+-]+;base64,|^data:application\/pdf;base64,/i;
/** ASCII without escapes, so that it can be cut anywhere. */
const PLAIN = /^[ -[\]-~]*/;

export interface CutJson {
  readonly bytes: Buffer;
  readonly inline: Inline | undefined;
  /** Keys, items and containers together: each costs about the same to parse. */
  readonly values: number;
  /** Of all objects. */
  readonly keys: number;
  /** The outermost object's, as `scanFields` finds them; null if a name has to be read by the parser. */
  readonly fields: ReadonlyMap<string, ByteRange> | null;
}

export class LongStringCutter {
  readonly #limits: JsonLimits;
  readonly #mark: string;
  readonly #kept: KeptBytes;
  readonly #cuts: Array<readonly Buffer[]> = [];
  readonly #texts = new Set<number>();
  readonly #utf8 = new Utf8Check();
  #inString = false;
  /** Inside a string that continues in the next chunk: whether it is inside an escape. */
  #escape = IN_STRING;
  #depth = 0;
  #keys = 0;
  #commas = 0;
  #containers = 0;
  /** The part of the current string that came in earlier chunks. */
  #string: Buffer[] = [];
  #stringBytes = 0;
  /** The last short string, which is the name of the field if the current string is a value. */
  #name: Buffer = NOTHING;
  #nameStart = 0;
  #nameEnd = 0;
  #isValue = false;
  /** Fields of the outermost object that are complete: where their values are in the kept bytes, with spaces around. */
  readonly #fields = new Map<string, ByteRange>();
  /** The field whose value is being read; empty if there is none. */
  #field: string | null = null;
  #fieldStart = 0;
  #fieldsKnown = true;

  /** `mark` must be random letters and digits. `memory`: see `KeptBytes`. */
  constructor(limits: JsonLimits, mark: string, memory?: TakeMemory) {
    this.#limits = limits;
    this.#mark = mark;
    this.#kept = new KeptBytes(memory);
  }

  /** Throws a Problem when a limit is exceeded or a string is malformed. Keeps a reference to the chunk. */
  push(chunk: Buffer): void {
    this.#utf8.push(chunk);
    for (let from = 0; from < chunk.length; from += SCANNED_BYTES_MAX) {
      this.#scan(chunk.length <= SCANNED_BYTES_MAX ? chunk : chunk.subarray(from, from + SCANNED_BYTES_MAX));
    }
  }

  #scan(chunk: Buffer): void {
    scanner.load(chunk);
    scanner.state.value = this.#escape;
    // Where the kept part of this chunk begins; -1 inside a string, until its end is found.
    let run = this.#inString ? -1 : 0;
    let stringStart = 0;
    const { length } = chunk;
    for (let i = 0; i < length; i++) {
      if (this.#inString) {
        i = scanner.scan(i, length);
        if (i === MALFORMED) throw notWellFormed();
        if (i === NOT_ENDED) break;
        // Most strings are short and whole.
        if (run >= 0 && i - stringStart < CONVERSATION_BYTES) {
          this.#inString = false;
          this.#name = chunk;
          this.#nameStart = stringStart;
          this.#nameEnd = i;
        } else run = this.#endString(chunk, run, stringStart, i);
        continue;
      }
      i = this.#quote(chunk, i, run);
      if (i < 0) break;
      this.#inString = true;
      stringStart = i + 1;
    }
    this.#escape = scanner.state.value;
    if (!this.#inString) this.#keep(chunk, run, length);
    else {
      this.#keep(chunk, run, stringStart);
      this.#string.push(chunk.subarray(run < 0 ? 0 : stringStart));
      this.#stringBytes += length - (run < 0 ? 0 : stringStart);
    }
  }

  /** A body that ends inside a string is left to the parser, which reports the position. */
  end(): CutJson {
    this.#utf8.end();
    for (const piece of this.#string) this.#kept.add(piece, 0, piece.length);
    const inline = { mark: this.#mark, pieces: this.#cuts, texts: this.#texts };
    const bytes = this.#kept.whole();
    return {
      bytes,
      inline: this.#cuts.length === 0 ? undefined : inline,
      values: this.#keys + this.#commas + this.#containers,
      keys: this.#keys,
      fields: this.#trimmedFields(bytes),
    };
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (from >= 0 && from < to) this.#kept.add(chunk, from, to);
  }

  /** Returns where the next kept part of the chunk begins. */
  #endString(chunk: Buffer, run: number, stringStart: number, end: number): number {
    this.#inString = false;
    const here = run < 0 ? 0 : stringStart;
    const bytes = this.#stringBytes + end - here;
    if (bytes < CONVERSATION_BYTES || !this.#isLong(bytes)) {
      this.#forgetName();
      if (run >= 0) return run;
      for (const piece of this.#string) this.#kept.add(piece, 0, piece.length);
      this.#forgetString();
      return 0;
    }
    this.#keep(chunk, run, stringStart);
    this.#cut(this.#string, chunk.subarray(here, end), bytes);
    this.#forgetString();
    this.#forgetName();
    return end;
  }

  #forgetName(): void {
    this.#name = NOTHING;
    this.#nameStart = 0;
    this.#nameEnd = FIELD_NAME_BYTES_MAX + 1;
  }

  #forgetString(): void {
    this.#string = [];
    this.#stringBytes = 0;
  }

  #isLong(bytes: number): boolean {
    if (bytes >= LONG_BYTES) return true;
    return this.#cuts.length < CONVERSATION_CUTS_MAX && CONVERSATION_FIELDS.has(this.#fieldName());
  }

  /** Empty if the current string is not the value of a field, or if the name is long. */
  #fieldName(): string {
    return this.#isValue ? (this.#lastString() ?? '') : '';
  }

  /** Null if it is long, came in two chunks or has escapes. */
  #lastString(): string | null {
    if (this.#nameEnd - this.#nameStart > FIELD_NAME_BYTES_MAX) return null;
    const text = this.#name.toString('utf8', this.#nameStart, this.#nameEnd);
    return text.includes('\\') ? null : text;
  }

  #cut(pieces: Buffer[], last: Buffer, bytes: number): void {
    pieces.push(last);
    const number = this.#cuts.length;
    // Nobody has to recognise a text of a conversation.
    const head = bytes < LONG_BYTES ? '' : headOf(pieces, HEAD_BYTES);
    if (bytes < LONG_BYTES || !this.#isMedia(head, pieces)) this.#texts.add(number);
    this.#kept.addText(head + placeholder(this.#mark, number));
    this.#cuts.push(head === '' ? pieces : withoutHead(pieces, head.length));
  }

  #isMedia(head: string, pieces: readonly Buffer[]): boolean {
    // The value of a field named "data" is base64.
    if (this.#fieldName() !== 'data' && !MEDIA.test(head)) return false;
    return !pieces.some((piece) => piece.includes(BACKSLASH));
  }

  /** The index of the next quote, or -1; counts the structure before it. `run`: where the kept part begins. */
  #quote(chunk: Buffer, from: number, run: number): number {
    const { depthMax, keysMax, valuesMax, containersMax = Number.POSITIVE_INFINITY } = this.#limits;
    // Local copies: this loop may see every byte of a body.
    let depth = this.#depth;
    let keys = this.#keys;
    let commas = this.#commas;
    let containers = this.#containers;
    let isValue = this.#isValue;
    let i = from;
    for (; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (COUNTED[byte] === 0) continue;
      if (byte === QUOTE) break;
      isValue = false;
      if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        if (++depth > depthMax) throw tooDeep(depthMax);
        if (++containers > containersMax) throw tooMany('containers', containersMax);
      } else if (byte === COMMA) {
        if (++commas >= valuesMax) throw tooMany('values', valuesMax);
        if (depth === 1) this.#endField(this.#kept.length + i - run);
      } else if (byte === COLON) {
        if (++keys > keysMax) throw tooMany('keys', keysMax);
        isValue = true;
        if (depth === 1) this.#beginField(this.#kept.length + i + 1 - run);
      } else if (depth-- === 1) this.#endField(this.#kept.length + i - run);
    }
    this.#depth = depth;
    this.#keys = keys;
    this.#commas = commas;
    this.#containers = containers;
    this.#isValue = isValue;
    return i === chunk.length ? -1 : i;
  }

  #beginField(start: number): void {
    this.#field = this.#lastString();
    this.#fieldStart = start;
    if (this.#field === null) this.#fieldsKnown = false;
  }

  #endField(end: number): void {
    if (this.#field !== null) this.#fields.set(this.#field, { start: this.#fieldStart, end });
    this.#field = null;
  }

  /** Without the spaces around values. */
  #trimmedFields(bytes: Buffer): ReadonlyMap<string, ByteRange> | null {
    if (!this.#fieldsKnown) return null;
    for (const [name, { start, end }] of this.#fields)
      this.#fields.set(name, { start: skipSpace(bytes, start), end: skipSpaceBack(bytes, end) });
    return this.#fields;
  }
}

/** The beginning that stays in the body: ASCII without escapes. */
function headOf(pieces: readonly Buffer[], bytesMax: number): string {
  let start = '';
  for (const piece of pieces) {
    if (start.length >= bytesMax) break;
    start += piece.toString('latin1', 0, bytesMax - start.length);
  }
  return PLAIN.exec(start)?.[0] ?? '';
}

function withoutHead(pieces: readonly Buffer[], head: number): Buffer[] {
  const rest: Buffer[] = [];
  let left = head;
  for (const piece of pieces) {
    if (left < piece.length) rest.push(left === 0 ? piece : piece.subarray(left));
    left = Math.max(0, left - piece.length);
  }
  return rest;
}

const NOTHING = Buffer.alloc(0);
/** 1 for the bytes that structure JSON outside of strings. */
const COUNTED = new Uint8Array(256);
for (const byte of [QUOTE, COLON, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET])
  COUNTED[byte] = 1;
