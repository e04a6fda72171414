/**
 * Finds the end of a JSON string and checks its escapes and control characters. The scanner here is JavaScript, for where
 * `wasm-scanner.ts`, which takes a tenth of its time, is turned off.
 */
import { JSON_BYTES } from './json-bytes.ts';

const { BACKSLASH, LETTER_U, QUOTE, SPACE } = JSON_BYTES;

export interface StringScanner {
  /** Takes the bytes that `scan` reads, at most SCANNED_BYTES_MAX. Nothing else may load before the last scan of them. */
  load(bytes: Uint8Array): void;
  /**
   * The index of the closing quote within the loaded bytes, from `from` on and before `end`. Begins in `state.value` and
   * leaves there the state in which the next bytes continue the string.
   */
  scan(from: number, end: number): number;
  readonly state: { value: number };
}

export const SCANNED_BYTES_MAX = 64 * 1024;

/** The state at the beginning of a string. The others are inside an escape. */
export const IN_STRING = 0;
export const AFTER_BACKSLASH = 1;
/** Four digits are missing; fewer count down to 2. */
export const FIRST_HEX_DIGIT = 5;

/** Returned by `scan`. */
export const NOT_ENDED = -1;
export const MALFORMED = -2;

/** Behind a backslash, besides `u`. */
export const SHORT_ESCAPES = Buffer.from('"\\/bfnrt');
export const HEX_DIGITS = Buffer.from('0123456789abcdefABCDEF');

export function plainScanner(): StringScanner {
  let bytes: Uint8Array = new Uint8Array();
  const state = { value: IN_STRING };
  return {
    state,
    load(loaded) {
      bytes = loaded;
    },
    scan(from, end) {
      for (let at = from; at < end; at++) {
        const byte = bytes[at] as number;
        const next = stateAfter(byte, state.value);
        if (next === MALFORMED) return MALFORMED;
        if (byte === QUOTE && state.value === IN_STRING) return at;
        state.value = next;
      }
      return NOT_ENDED;
    },
  };
}

function stateAfter(byte: number, state: number): number {
  if (state === IN_STRING) {
    if (byte < SPACE) return MALFORMED;
    return byte === BACKSLASH ? AFTER_BACKSLASH : IN_STRING;
  }
  if (state === AFTER_BACKSLASH) {
    if (byte === LETTER_U) return FIRST_HEX_DIGIT;
    return SHORT_ESCAPES.includes(byte) ? IN_STRING : MALFORMED;
  }
  if (!HEX_DIGITS.includes(byte)) return MALFORMED;
  return state - 1 === AFTER_BACKSLASH ? IN_STRING : state - 1;
}
