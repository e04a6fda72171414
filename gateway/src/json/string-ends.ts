/** Reads the two ends of a long JSON string that is held as bytes, without decoding all of it. Pure. */
import { JSON_BYTES } from './json-bytes.ts';

const { BACKSLASH } = JSON_BYTES;

/** The longest form of a character in JSON is `\u0000`. */
const CHARACTER_BYTES_MAX = 6;
/** A surrogate pair: two escapes that must not be separated, nor cut. */
const PAIR_BYTES = 2 * CHARACTER_BYTES_MAX;

/** Decoded, at least as many characters as asked for. The pieces are the bytes between the quotes. */
export function stringStart(pieces: readonly Buffer[], characters: number): string {
  const bytes = firstBytes(pieces, characters * CHARACTER_BYTES_MAX + PAIR_BYTES);
  // The last character may be incomplete.
  for (let end = bytes.length; end > 0 && end > bytes.length - PAIR_BYTES; end--) {
    const text = decoded(bytes.subarray(0, end));
    if (text !== null) return text;
  }
  return '';
}

export function stringEnding(pieces: readonly Buffer[], characters: number): string {
  const bytes = lastBytes(pieces, characters * CHARACTER_BYTES_MAX + PAIR_BYTES);
  return decoded(bytes.subarray(characterStart(bytes))) ?? '';
}

/** The first byte that surely begins a character. */
function characterStart(bytes: Buffer): number {
  for (let i = 1; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const escapeStarts = byte === BACKSLASH && bytes[i - 1] !== BACKSLASH;
    if (escapeStarts) return i;
    const inEscape = bytes.subarray(Math.max(0, i - CHARACTER_BYTES_MAX), i).includes(BACKSLASH);
    const continues = (byte & 0xc0) === 0x80;
    if (i >= CHARACTER_BYTES_MAX && !inEscape && !continues) return i;
  }
  return bytes.length;
}

function decoded(bytes: Buffer): string | null {
  try {
    return JSON.parse(`"${UTF8.decode(bytes)}"`) as string;
  } catch {
    return null;
  }
}

/** Throws for an incomplete character. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function firstBytes(pieces: readonly Buffer[], bytesMax: number): Buffer {
  const [first] = pieces;
  if (first !== undefined && (first.length >= bytesMax || pieces.length === 1))
    return first.subarray(0, bytesMax);
  let bytes = 0;
  const needed = pieces.filter((piece) => {
    const wanted = bytes < bytesMax;
    bytes += piece.length;
    return wanted;
  });
  return Buffer.concat(needed).subarray(0, bytesMax);
}

function lastBytes(pieces: readonly Buffer[], bytesMax: number): Buffer {
  const needed: Buffer[] = [];
  let bytes = 0;
  for (let i = pieces.length - 1; i >= 0 && bytes < bytesMax; i--) {
    const piece = pieces[i] as Buffer;
    needed.unshift(piece.subarray(Math.max(0, piece.length - (bytesMax - bytes))));
    bytes += piece.length;
  }
  return needed.length === 1 ? (needed[0] as Buffer) : Buffer.concat(needed);
}
