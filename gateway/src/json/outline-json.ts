/**
 * The outline of a provider's JSON answer: the same JSON with one character instead of each long string. An answer
 * with images is megabytes of base64 in a few hundred bytes of JSON; only those few are joined and parsed. Unlike
 * cut-long-strings.ts it checks nothing, because a provider's answer is passed on as it is, and it maps positions of
 * the outline to positions of the answer instead of leaving placeholders. Pure.
 */
import { KIB } from '../kernel/bytes.ts';
import { JSON_BYTES } from './json-bytes.ts';
import { StringSkipper } from './skip-string.ts';

const { QUOTE } = JSON_BYTES;

export interface JsonOutline {
  readonly bytes: Buffer;
  /** The position in the body of a position in the outline. */
  bodyPosition(at: number): number;
}

/** Longer strings become one character. */
const STRING_BYTES_MAX = 1_024;
const OUTLINE_BYTES_MAX = 256 * KIB;
/** A body of nothing but quotes must not block the event loop. */
const QUOTES_MAX = 100_000;
const REPLACEMENT = Buffer.from('*');

/** Null for a body that ends inside a string, or whose outline is not small. */
export function outlineJson(pieces: readonly Buffer[]): JsonOutline | null {
  const outliner = new Outliner();
  for (const piece of pieces) if (!outliner.push(piece)) return null;
  return outliner.outline();
}

class Outliner {
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  readonly #cuts: Array<{ at: number; removed: number }> = [];
  #opened = 0;
  readonly #skipper = new StringSkipper();
  /** The parts of the current string while it is short, and its bytes so far; null outside of strings. */
  #string: { readonly parts: Buffer[]; bytes: number } | null = null;

  /** Returns false if a limit is exceeded. */
  push(piece: Buffer): boolean {
    let from = 0;
    while (from < piece.length) {
      const string = this.#string;
      const quote = string === null ? piece.indexOf(QUOTE, from) : this.#skipper.end(piece, from);
      const end = quote < 0 ? piece.length : quote;
      if (string === null) this.#keep(piece.subarray(from, end));
      else {
        string.bytes += end - from;
        if (string.bytes <= STRING_BYTES_MAX) string.parts.push(piece.subarray(from, end));
      }
      if (quote >= 0) this.#meetQuote(piece.subarray(quote, quote + 1));
      from = end + 1;
      if (this.#opened + this.#skipper.quotes > QUOTES_MAX || this.#bytes > OUTLINE_BYTES_MAX) return false;
    }
    return true;
  }

  outline(): JsonOutline | null {
    if (this.#string !== null) return null;
    const cuts = this.#cuts;
    return {
      bytes: Buffer.concat(this.#kept),
      bodyPosition: (at) =>
        cuts.reduce((position, cut) => (cut.at <= at ? position + cut.removed : position), at),
    };
  }

  #meetQuote(quote: Buffer): void {
    const string = this.#string;
    if (string === null) this.#opened++;
    this.#string = string === null ? { parts: [], bytes: 0 } : null;
    if (string !== null && string.bytes > STRING_BYTES_MAX) {
      this.#keep(REPLACEMENT);
      this.#cuts.push({ at: this.#bytes, removed: string.bytes - REPLACEMENT.length });
    } else for (const part of string?.parts ?? []) this.#keep(part);
    this.#keep(quote);
  }

  #keep(bytes: Buffer): void {
    this.#kept.push(bytes);
    this.#bytes += bytes.length;
  }
}
