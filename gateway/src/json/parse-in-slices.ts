/**
 * Parses JSON a slice at a time. A list of a million numbers blocks the engine's own parser, and with it every other
 * call, for tens of milliseconds. This parser is slower in total, so it is only for input that takes long.
 */

import type { ByteRange } from './field-ranges.ts';
import { isSpace, JSON_BYTES } from './json-bytes.ts';
import type { JsonLimits } from './json-limits.ts';
import { notObject, notWellFormed, protoKey, tooDeep, tooMany, twice } from './json-problems.ts';
import type { JsonObject } from './parse-json.ts';
import { stringEnd } from './skip-string.ts';

const { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, DIGIT_0, MINUS, OPEN_BRACE, OPEN_BRACKET, QUOTE } =
  JSON_BYTES;

interface Open {
  readonly list: unknown[] | null;
  readonly object: Record<string, unknown> | null;
  /** The key whose value comes next. */
  key: string;
}

type Expects = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'comma-or-close' | 'nothing';

export class SlicedParser {
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  readonly #stack: Open[] = [];
  readonly #fields = new Map<string, ByteRange>();
  #at = 0;
  #expects: Expects = 'value';
  #root: unknown = undefined;
  #fieldStart = 0;
  #left = 0;
  #containers = 0;
  #keys = 0;
  #commas = 0;

  /** The bytes must be valid UTF-8. */
  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** Returns true when everything is parsed. Throws a Problem for malformed JSON. */
  run(steps: number): boolean {
    const bytes = this.#bytes;
    this.#left = steps;
    for (; this.#left > 0; this.#left--) {
      while (isSpace(bytes[this.#at])) this.#at++;
      if (this.#at >= bytes.length) {
        if (this.#expects !== 'nothing') throw this.#fault();
        return true;
      }
      this.#step(bytes[this.#at] as number);
    }
    return false;
  }

  object(): JsonObject {
    const value = this.#root;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notObject();
    return { value: value as Record<string, unknown>, bytes: this.#bytes, fields: this.#fields };
  }

  #step(byte: number): void {
    switch (this.#expects) {
      case 'value':
        this.#value(byte);
        return;
      case 'value-or-close':
        if (byte === CLOSE_BRACKET) this.#close(byte);
        else this.#value(byte);
        return;
      case 'key':
        this.#key(byte);
        return;
      case 'key-or-close':
        if (byte === CLOSE_BRACE) this.#close(byte);
        else this.#key(byte);
        return;
      case 'comma-or-close':
        if (byte !== COMMA) this.#close(byte);
        else {
          this.#comma();
          this.#expects = this.#stack.at(-1)?.list === null ? 'key' : 'value';
        }
        return;
      case 'nothing':
        throw this.#fault();
    }
  }

  #value(byte: number): void {
    if (this.#stack.length === 1) this.#fieldStart = this.#at;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const isList = byte === OPEN_BRACKET;
      this.#opened();
      this.#stack.push({ list: isList ? [] : null, object: isList ? null : {}, key: '' });
      this.#at++;
      this.#expects = isList ? 'value-or-close' : 'key-or-close';
    } else if (byte === QUOTE) this.#put(this.#string());
    else if (byte === MINUS || isDigit(byte)) this.#numbers();
    else this.#put(this.#word());
  }

  #opened(): void {
    const { depthMax, containersMax = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#stack.length >= depthMax) throw tooDeep(depthMax);
    if (++this.#containers > containersMax) throw tooMany('containers', containersMax);
  }

  #comma(): void {
    this.#at++;
    if (++this.#commas >= this.#limits.valuesMax) throw tooMany('values', this.#limits.valuesMax);
  }

  #key(byte: number): void {
    if (byte !== QUOTE) throw this.#fault();
    const key = this.#string();
    while (isSpace(this.#bytes[this.#at])) this.#at++;
    if (this.#bytes[this.#at] !== COLON) throw this.#fault();
    this.#at++;
    if (++this.#keys > this.#limits.keysMax) throw tooMany('keys', this.#limits.keysMax);
    const open = this.#stack.at(-1) as Open;
    if (key === '__proto__') throw protoKey();
    if (Object.hasOwn(open.object as object, key)) throw twice(key);
    open.key = key;
    this.#expects = 'value';
  }

  #close(byte: number): void {
    const open = this.#stack.pop();
    if (open === undefined || byte !== (open.list === null ? CLOSE_BRACE : CLOSE_BRACKET))
      throw this.#fault();
    this.#at++;
    this.#put(open.list ?? open.object);
  }

  #put(value: unknown): void {
    const open = this.#stack.at(-1);
    if (open === undefined) {
      this.#root = value;
      this.#expects = 'nothing';
      return;
    }
    if (open.list !== null) open.list.push(value);
    else {
      (open.object as Record<string, unknown>)[open.key] = value;
      if (this.#stack.length === 1) this.#fields.set(open.key, { start: this.#fieldStart, end: this.#at });
    }
    this.#expects = 'comma-or-close';
  }

  #string(): string {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = stringEnd(bytes, start + 1);
    if (end < 0) throw this.#fault();
    this.#at = end + 1;
    // Long strings take time too.
    this.#left -= (end - start) >> 6;
    const text = bytes.toString('utf8', start + 1, end);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be written as escapes
    if (!/[\\\x00-\x1f]/.test(text)) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      this.#at = start;
      throw this.#fault();
    }
  }

  /** Lists of numbers are the longest lists: numbers without spaces between them are read in one loop. */
  #numbers(): void {
    const bytes = this.#bytes;
    this.#put(this.#number());
    const list = this.#stack.at(-1)?.list ?? null;
    if (list === null) return;
    while (bytes[this.#at] === COMMA && isDigit(bytes[this.#at + 1]) && --this.#left > 0) {
      this.#comma();
      list.push(this.#number());
    }
  }

  #number(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let value = 0;
    while (isDigit(bytes[this.#at])) value = value * 10 + (bytes[this.#at++] as number) - DIGIT_0;
    const digits = this.#at - start;
    // Most are token ids. A sign, a fraction, an exponent or a leading zero takes the slower path below.
    if (digits > 0 && digits < 16 && !isNumber(bytes[this.#at]) && (digits === 1 || bytes[start] !== DIGIT_0))
      return value;
    while (isNumber(bytes[this.#at])) this.#at++;
    const text = bytes.toString('latin1', start, this.#at);
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
    this.#at = start;
    throw this.#fault();
  }

  #word(): boolean | null {
    for (const [word, value] of WORDS) {
      if (this.#bytes.toString('latin1', this.#at, this.#at + word.length) !== word) continue;
      this.#at += word.length;
      return value;
    }
    throw this.#fault();
  }

  #fault(): Error {
    return notWellFormed(String(this.#at));
  }
}

const WORDS: ReadonlyArray<readonly [string, boolean | null]> = [
  ['true', true],
  ['false', false],
  ['null', null],
];

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_0 && byte <= DIGIT_0 + 9;
}

function isNumber(byte: number | undefined): boolean {
  return isDigit(byte) || byte === MINUS || byte === 0x2b || byte === 0x2e || byte === 0x45 || byte === 0x65;
}
