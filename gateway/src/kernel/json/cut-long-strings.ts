/**
 * Cuts long strings out of a JSON body while it arrives: an image is megabytes of base64 in a few hundred bytes of
 * JSON. Only the rest is parsed; the strings are passed on in the pieces they came in. What parsing would cost is
 * counted along the way, and a body over a limit is rejected before it is complete.
 */

import { isUtf8 } from 'node:buffer';
import { KIB } from '../bytes.ts';
import { JSON_BYTES } from './json-bytes.ts';
import { notUtf8, notWellFormed, tooDeep, tooMany } from './json-problems.ts';
import { type Inline, placeholder } from './placeholders.ts';
import type { JsonLimits } from './scan-json.ts';

const {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LETTER_U,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} = JSON_BYTES;

/** Longer strings are cut out. Every field that the gateway reads is shorter, except prompts. */
const LONG_BYTES = 32 * KIB;
/** How much of the beginning of a long string stays, to recognise what it is. */
const HEAD_BYTES = 256;
/** Media, which is never read; everything else is text. */
const MEDIA = /^data:(?:image|video|audio)\/[\w.+-]+;base64,|^data:application\/pdf;base64,/i;

export interface CutJson {
  readonly bytes: Buffer;
  readonly inline: Inline | undefined;
  /** Keys, items and containers together: each costs about the same to parse. */
  readonly values: number;
}

export class LongStringCutter {
  readonly #limits: JsonLimits;
  readonly #mark: string;
  readonly #kept: Buffer[] = [];
  readonly #cuts: Array<readonly Buffer[]> = [];
  readonly #texts = new Set<number>();
  readonly #utf8 = new Utf8Check();
  #state = OUTSIDE;
  #hexLeft = 0;
  #depth = 0;
  #keys = 0;
  #commas = 0;
  #containers = 0;
  /** The part of the current string that came in earlier chunks. */
  #string: Buffer[] = [];
  #stringBytes = 0;
  #escaped = false;
  /** Whether the current string is the value of a field named "data", which holds base64. */
  #isData = false;
  #lastWasData = false;

  /** `mark` must be random letters and digits. */
  constructor(limits: JsonLimits, mark: string) {
    this.#limits = limits;
    this.#mark = mark;
  }

  /** Throws a Problem when a limit is exceeded or a string is malformed. Keeps a reference to the chunk. */
  push(chunk: Buffer): void {
    this.#utf8.push(chunk);
    // Where the kept part of this chunk begins; -1 inside a string, until its end is found.
    let run = this.#state === OUTSIDE ? 0 : -1;
    let stringStart = 0;
    const { length } = chunk;
    for (let i = 0; i < length; i++) {
      if (this.#state !== OUTSIDE) {
        i = this.#stringEnd(chunk, i);
        if (i < 0) break;
        run = this.#endString(chunk, { run, stringStart, end: i });
        continue;
      }
      i = this.#quote(chunk, i);
      if (i < 0) break;
      this.#state = INSIDE;
      this.#escaped = false;
      stringStart = i + 1;
    }
    if (this.#state === OUTSIDE) this.#keep(chunk, run, chunk.length);
    else {
      this.#keep(chunk, run, stringStart);
      this.#string.push(chunk.subarray(run < 0 ? 0 : stringStart));
      this.#stringBytes += chunk.length - (run < 0 ? 0 : stringStart);
    }
  }

  /** A body that ends inside a string is left to the parser, which reports the position. */
  end(): CutJson {
    this.#utf8.end();
    this.#kept.push(...this.#string);
    const inline = { mark: this.#mark, pieces: this.#cuts, texts: this.#texts };
    return {
      bytes: this.#kept.length === 1 ? (this.#kept[0] as Buffer) : Buffer.concat(this.#kept),
      inline: this.#cuts.length === 0 ? undefined : inline,
      values: this.#keys + this.#commas + this.#containers,
    };
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (from >= 0 && from < to) this.#kept.push(chunk.subarray(from, to));
  }

  /** The index of the closing quote; -1 if it is not in this chunk. */
  #stringEnd(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      if (this.#state === INSIDE) {
        i = this.#plainEnd(chunk, i);
        if (i < 0) return -1;
        if (chunk[i] === QUOTE) return i;
        this.#state = ESCAPE;
        this.#escaped = true;
      } else this.#stepEscape(chunk[i] as number);
    }
    return -1;
  }

  /** The index of the next quote or backslash, or -1. Short strings are searched here, long ones natively. */
  #plainEnd(chunk: Buffer, from: number): number {
    let i = from;
    for (const near = Math.min(chunk.length, from + 48); i < near; i++) {
      const byte = chunk[i] as number;
      if (byte === QUOTE || byte === BACKSLASH) return i;
      if (byte < SPACE) throw notWellFormed();
    }
    if (i === chunk.length) return -1;
    const quote = chunk.indexOf(QUOTE, i);
    const end = quote < 0 ? chunk.length : quote;
    const slash = chunk.subarray(i, end).indexOf(BACKSLASH);
    const stop = slash < 0 ? end : i + slash;
    if (hasControl(chunk, i, stop)) throw notWellFormed();
    return slash < 0 && quote < 0 ? -1 : stop;
  }

  #stepEscape(byte: number): void {
    if (this.#state === ESCAPE) {
      if (!ESCAPES.includes(byte)) throw notWellFormed();
      this.#state = byte === LETTER_U ? HEX : INSIDE;
      this.#hexLeft = 4;
      return;
    }
    if (!isHex(byte)) throw notWellFormed();
    if (--this.#hexLeft === 0) this.#state = INSIDE;
  }

  /** Returns where the next kept part of the chunk begins. */
  #endString(chunk: Buffer, at: { run: number; stringStart: number; end: number }): number {
    const { run, stringStart, end } = at;
    this.#state = OUTSIDE;
    const here = run < 0 ? 0 : stringStart;
    const bytes = this.#stringBytes + end - here;
    this.#lastWasData = bytes === 4 && run >= 0 && chunk.toString('latin1', here, end) === 'data';
    if (bytes < LONG_BYTES) {
      if (run >= 0) return run;
      this.#kept.push(...this.#string);
      this.#string = [];
      this.#stringBytes = 0;
      return 0;
    }
    this.#keep(chunk, run, stringStart);
    this.#cut([...this.#string, chunk.subarray(here, end)]);
    this.#string = [];
    this.#stringBytes = 0;
    return end;
  }

  #cut(pieces: readonly Buffer[]): void {
    const head = headOf(pieces);
    const media = !this.#escaped && (this.#isData || MEDIA.test(head));
    if (!media) this.#texts.add(this.#cuts.length);
    this.#kept.push(Buffer.from(head + placeholder(this.#mark, this.#cuts.length), 'latin1'));
    this.#cuts.push(withoutHead(pieces, head.length));
  }

  /** The index of the next quote, or -1; counts the structure before it. */
  #quote(chunk: Buffer, from: number): number {
    const { depthMax, keysMax, valuesMax, containersMax = Number.POSITIVE_INFINITY } = this.#limits;
    // Local copies: this loop may see every byte of a body.
    let depth = this.#depth;
    let keys = this.#keys;
    let commas = this.#commas;
    let containers = this.#containers;
    let isData = this.#isData;
    let i = from;
    for (; i < chunk.length; i++) {
      const byte = chunk[i] as number;
      if (COUNTED[byte] === 0) continue;
      if (byte === QUOTE) break;
      isData = false;
      if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        if (++depth > depthMax) throw tooDeep(depthMax);
        if (++containers > containersMax) throw tooMany('containers', containersMax);
      } else if (byte === COMMA) {
        if (++commas >= valuesMax) throw tooMany('values', valuesMax);
      } else if (byte === COLON) {
        if (++keys > keysMax) throw tooMany('keys', keysMax);
        isData = this.#lastWasData;
      } else depth--;
    }
    this.#depth = depth;
    this.#keys = keys;
    this.#commas = commas;
    this.#containers = containers;
    this.#isData = isData;
    return i === chunk.length ? -1 : i;
  }
}

/** ASCII without escapes, so that it can be cut anywhere. */
function headOf(pieces: readonly Buffer[]): string {
  let head = '';
  for (const piece of pieces) {
    for (const byte of piece.subarray(0, HEAD_BYTES - head.length)) {
      if (byte === BACKSLASH || byte > 0x7e) return head;
      head += String.fromCharCode(byte);
    }
    if (head.length >= HEAD_BYTES) break;
  }
  return head;
}

function withoutHead(pieces: readonly Buffer[], head: number): Buffer[] {
  let left = head;
  return pieces.flatMap((piece) => {
    const from = Math.min(left, piece.length);
    left -= from;
    return from === piece.length ? [] : [piece.subarray(from)];
  });
}

/** Checks UTF-8 in chunks that may be cut inside a character. */
class Utf8Check {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - openEnd(bytes);
    if (!isUtf8(bytes.subarray(0, whole))) throw notUtf8();
    this.#rest = whole === bytes.length ? NOTHING : Buffer.from(bytes.subarray(whole));
  }

  end(): void {
    if (this.#rest.length > 0) throw notUtf8();
  }
}

/** How many bytes at the end belong to an incomplete character. */
function openEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

/** Whether any byte is a control character; reads four bytes at a time. */
function hasControl(chunk: Buffer, from: number, to: number): boolean {
  let i = from;
  for (; i < to && (chunk.byteOffset + i) % 4 !== 0; i++) if ((chunk[i] as number) < SPACE) return true;
  if (to - i < 4) return hasControlByByte(chunk, i, to);
  const words = new Uint32Array(chunk.buffer, chunk.byteOffset + i, (to - i) >> 2);
  for (const word of words) if (((word - 0x20202020) & ~word & 0x80808080) !== 0) return true;
  return hasControlByByte(chunk, i + words.length * 4, to);
}

function hasControlByByte(chunk: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((chunk[i] as number) < SPACE) return true;
  return false;
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

const NOTHING = Buffer.alloc(0);
const OUTSIDE = 0;
const INSIDE = 1;
const ESCAPE = 2;
const HEX = 3;
const ESCAPES = [...Buffer.from('"\\/bfnrtu')];
/** 1 for the bytes that structure JSON outside of strings. */
const COUNTED = new Uint8Array(256);
for (const byte of [QUOTE, COLON, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET])
  COUNTED[byte] = 1;
