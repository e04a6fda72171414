/**
 * A JSON body with its long strings cut out. A body of images is megabytes of base64 in a few hundred
 * bytes of JSON: only those few are joined and parsed, the rest is passed on in the pieces it came in. Pure.
 */
export interface JsonSkeleton {
  readonly bytes: Buffer;
  /** Where a place of the skeleton lies in the body. */
  placeOf(at: number): number;
}

/** Longer strings become one character; they are neither looked into nor checked. */
const STRING_BYTES_MAX = 1_024;
const SKELETON_BYTES_MAX = 256 * 1024;
/** Each quote is a step, so that a body of nothing but quotes does not hold everybody up. */
const QUOTES_MAX = 100_000;
const STAND_IN = Buffer.from('*');

/** Null for a body that ends within a string, or that is not small even without its long strings. */
export function jsonSkeleton(pieces: readonly Buffer[]): JsonSkeleton | null {
  const cutter = new Cutter();
  for (const piece of pieces) if (!cutter.push(piece)) return null;
  return cutter.skeleton();
}

class Cutter {
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  readonly #cuts: Array<{ at: number; removed: number }> = [];
  #quotes = 0;
  /** The string under way; null outside of strings. */
  #string: OpenString | null = null;

  /** False when it is not worth going on. */
  push(piece: Buffer): boolean {
    let from = 0;
    while (from < piece.length) {
      const quote = piece.indexOf(QUOTE, from);
      const end = quote < 0 ? piece.length : quote;
      if (this.#string === null) {
        this.#keep(piece.subarray(from, quote < 0 ? end : end + 1));
        if (quote >= 0) this.#string = new OpenString();
      } else {
        this.#string.add(piece.subarray(from, end));
        if (quote >= 0) this.#meetQuote(piece.subarray(quote, quote + 1), this.#string);
      }
      from = quote < 0 ? end : end + 1;
      if (++this.#quotes > QUOTES_MAX || this.#bytes > SKELETON_BYTES_MAX) return false;
    }
    return true;
  }

  skeleton(): JsonSkeleton | null {
    if (this.#string !== null) return null;
    const cuts = this.#cuts;
    return {
      bytes: Buffer.concat(this.#kept),
      placeOf: (at) => cuts.reduce((place, cut) => (cut.at <= at ? place + cut.removed : place), at),
    };
  }

  #meetQuote(quote: Buffer, string: OpenString): void {
    if (string.escapes) {
      string.add(quote);
      return;
    }
    this.#string = null;
    if (string.length > STRING_BYTES_MAX) {
      this.#keep(STAND_IN);
      this.#cuts.push({ at: this.#bytes, removed: string.length - STAND_IN.length });
    } else for (const part of string.parts) this.#keep(part);
    this.#keep(quote);
  }

  #keep(bytes: Buffer): void {
    this.#kept.push(bytes);
    this.#bytes += bytes.length;
  }
}

class OpenString {
  readonly parts: Buffer[] = [];
  length = 0;
  /** Backslashes at its end: an odd number takes the meaning from what follows. */
  #slashes = 0;

  get escapes(): boolean {
    return this.#slashes % 2 === 1;
  }

  add(part: Buffer): void {
    let slashes = 0;
    while (slashes < part.length && part[part.length - 1 - slashes] === BACKSLASH) slashes++;
    this.#slashes = slashes === part.length ? this.#slashes + slashes : slashes;
    this.length += part.length;
    if (this.length <= STRING_BYTES_MAX) this.parts.push(part);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
