/** Skips strings without reading them: finds the quote that ends one, natively where it is long. */
import { JSON_BYTES } from './json-bytes.ts';

const { BACKSLASH, QUOTE } = JSON_BYTES;

/** The index of the quote that closes a string, or -1. Short strings are searched here, long ones natively. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  let i = from;
  for (;;) {
    for (const near = Math.min(bytes.length, i + 48); i < near; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) return i;
      if (byte === BACKSLASH) i++;
    }
    const quote = bytes.indexOf(QUOTE, i);
    if (quote < 0) return -1;
    if (!isEscaped(bytes, i, quote)) return quote;
    i = quote + 1;
  }
}

/** The same for a string that comes in pieces. */
export class StringSkipper {
  /** How many it met, escaped ones included: each costs a native search. */
  quotes = 0;
  #escaped = false;

  /** The index of the closing quote, or -1 if the string goes on in the next piece. */
  end(piece: Uint8Array, from: number): number {
    if (from === piece.length) return -1;
    let start = this.#escaped ? from + 1 : from;
    for (;;) {
      const quote = piece.indexOf(QUOTE, start);
      this.#escaped = isEscaped(piece, start, quote < 0 ? piece.length : quote);
      if (quote < 0) return -1;
      this.quotes++;
      if (!this.#escaped) return quote;
      start = quote + 1;
    }
  }
}

/** Whether the byte at `at` follows an odd number of backslashes, none of them before `from`. */
function isEscaped(bytes: Uint8Array, from: number, at: number): boolean {
  let slashes = 0;
  while (at - 1 - slashes >= from && bytes[at - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}
