/**
 * Cuts long strings out of a JSON body while it arrives: an image is megabytes of base64 in a few hundred bytes of
 * JSON. Only the rest is parsed; the strings are passed on in the pieces they came in. What parsing would cost is
 * counted along the way, and a body over a limit is rejected before it is complete.
 */

import { KIB } from '../kernel/bytes.ts';
import { usesInside } from '../kernel/node-insides.ts';
import { type ByteRange, FieldRanges } from './field-ranges.ts';
import { JSON_BYTES } from './json-bytes.ts';
import type { JsonLimits } from './json-limits.ts';
import { notWellFormed } from './json-problems.ts';
import { KeptBytes, type TakeMemory } from './kept-bytes.ts';
import { type Inline, placeholder } from './placeholders.ts';
import { IN_STRING, MALFORMED, NOT_ENDED, plainScanner, SCANNED_BYTES_MAX } from './string-scanner.ts';
import { Utf8Check } from './utf8-check.ts';
import { type StructureReader, StructureWalk } from './walk-structure.ts';
import { wasmScanner } from './wasm-scanner.ts';

const { BACKSLASH } = JSON_BYTES;

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

export class LongStringCutter implements StructureReader {
  readonly #mark: string;
  readonly #kept: KeptBytes;
  readonly #cuts: Array<readonly Buffer[]> = [];
  readonly #texts = new Set<number>();
  readonly #utf8 = new Utf8Check();
  #inString = false;
  /** Inside a string that continues in the next chunk: whether it is inside an escape. */
  #escape = IN_STRING;
  /** The part of the body that is being scanned, where its next kept part begins, and where its last string does. */
  #chunk: Buffer = NOTHING;
  #run = 0;
  #stringStart = 0;
  /** The part of the current string that came in earlier chunks. */
  #string: Buffer[] = [];
  #stringBytes = 0;
  /** The last short string, which is the name of the field if the current string is a value. */
  #name: Buffer = NOTHING;
  #nameStart = 0;
  #nameEnd = 0;
  /** Where the values of the outermost object's fields are in the kept bytes. */
  readonly #fields = new FieldRanges(() => this.#lastString());
  readonly #walk: StructureWalk;

  /** `mark` must be random letters and digits. `memory`: see `KeptBytes`. */
  constructor(limits: JsonLimits, mark: string, memory?: TakeMemory) {
    this.#walk = new StructureWalk(limits, this, 1);
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
    this.#chunk = chunk;
    // Inside a string nothing is kept until its end is found.
    this.#run = this.#inString ? NOTHING_YET : 0;
    this.#stringStart = 0;
    const outside = this.#inString ? this.#continue(0) + 1 : 0;
    if (!this.#inString) this.#walk.walk(chunk, outside);
    this.#escape = scanner.state.value;
    if (!this.#inString) this.#keep(chunk, this.#run, chunk.length);
    else {
      this.#keep(chunk, this.#run, this.#stringStart);
      const string = chunk.subarray(this.#stringStart);
      this.#string.push(string);
      this.#stringBytes += string.length;
    }
  }

  meet(byte: number, at: number, depth: number): boolean {
    this.#fields.meet(byte, this.#kept.length + at - this.#run, depth);
    return true;
  }

  string(_: Uint8Array, quote: number): number {
    this.#inString = true;
    this.#stringStart = quote + 1;
    return this.#continue(quote + 1);
  }

  /** The index of the quote that ends the current string, or -1. */
  #continue(from: number): number {
    const end = scanner.scan(from, this.#chunk.length);
    if (end === MALFORMED) throw notWellFormed();
    if (end === NOT_ENDED) return -1;
    this.#inString = false;
    // Most strings are short and whole.
    if (this.#run >= 0 && end - from < CONVERSATION_BYTES) {
      this.#name = this.#chunk;
      this.#nameStart = from;
      this.#nameEnd = end;
    } else this.#endString(end);
    return end;
  }

  /** A body that ends inside a string is left to the parser, which reports the position. */
  end(): CutJson {
    this.#utf8.end();
    for (const piece of this.#string) this.#kept.add(piece, 0, piece.length);
    const inline = { mark: this.#mark, pieces: this.#cuts, texts: this.#texts };
    const bytes = this.#kept.whole();
    const { keys, commas, containers } = this.#walk;
    return {
      bytes,
      inline: this.#cuts.length === 0 ? undefined : inline,
      values: keys + commas + containers,
      keys,
      fields: this.#fields.known ? this.#fields.within(bytes) : null,
    };
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (from >= 0 && from < to) this.#kept.add(chunk, from, to);
  }

  #endString(end: number): void {
    const start = this.#stringStart;
    const bytes = this.#stringBytes + end - start;
    if (bytes >= CONVERSATION_BYTES && this.#isLong(bytes)) {
      this.#keep(this.#chunk, this.#run, start);
      this.#cut(this.#string, this.#chunk.subarray(start, end), bytes);
      this.#run = end;
    } else if (this.#run === NOTHING_YET) {
      for (const piece of this.#string) this.#kept.add(piece, 0, piece.length);
      this.#run = 0;
    }
    this.#string = [];
    this.#stringBytes = 0;
    // Its value was no name.
    this.#name = NOTHING;
    this.#nameStart = 0;
    this.#nameEnd = FIELD_NAME_BYTES_MAX + 1;
  }

  #isLong(bytes: number): boolean {
    if (bytes >= LONG_BYTES) return true;
    return this.#cuts.length < CONVERSATION_CUTS_MAX && CONVERSATION_FIELDS.has(this.#fieldName());
  }

  /** Empty if the current string is not the value of a field, or if the name is long. */
  #fieldName(): string {
    return this.#walk.afterColon ? (this.#lastString() ?? '') : '';
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
/** Of the current chunk, which begins inside a string. */
const NOTHING_YET = -1;
