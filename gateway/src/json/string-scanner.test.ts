import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IN_STRING, MALFORMED, NOT_ENDED, plainScanner, type StringScanner } from './string-scanner.ts';
import { wasmScanner } from './wasm-scanner.ts';

/** Scans chunk after chunk, as a body arrives; the place of the closing quote in all of them together. */
function scanWith({ load, scan, state: held }: StringScanner, bytes: Buffer, size: number): number {
  let state = IN_STRING;
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    load(chunk);
    held.value = state;
    const end = scan(0, chunk.length);
    if (end !== NOT_ENDED) return end === MALFORMED ? MALFORMED : at + end;
    state = held.value;
  }
  return NOT_ENDED;
}

/** What the engine's parser says of the same text: the shortest beginning that is a string ends it. */
function expected(bytes: Buffer): number {
  const text = bytes.toString('latin1');
  for (let end = text.indexOf('"'); end >= 0; end = text.indexOf('"', end + 1)) {
    try {
      JSON.parse(`"${text.slice(0, end)}"`);
      return end;
    } catch {
      // This quote is escaped, or the string is malformed before it.
    }
  }
  return NOT_ENDED;
}

const anEscape = fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\uD83D', '\\uABcd');
const plain = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/["\\]/g, ''));
const wrong = fc.constantFrom('\\x', '\\u12g4', '\\u"', '\n', '\u0000', '\u001f');

describe.each([
  ['JavaScript', plainScanner()],
  ['WebAssembly', wasmScanner()],
])('the end of a string in %s', (_, scanner) => {
  const scan = (bytes: Buffer, size: number): number => scanWith(scanner, bytes, size);

  test('is found where the engine finds it, however the bytes are cut into chunks', () => {
    const content = fc.array(fc.oneof(plain, anEscape)).map((parts) => `${parts.join('')}"rest"`);
    fc.assert(
      fc.property(content, fc.integer({ min: 1, max: 40 }), (text, size) => {
        const bytes = Buffer.from(text);
        expect(scan(bytes, size)).toBe(expected(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('is not found behind a wrong escape or a control character', () => {
    const content = fc.tuple(fc.array(fc.oneof(plain, anEscape)), wrong, plain);
    fc.assert(
      fc.property(content, fc.integer({ min: 1, max: 40 }), ([before, fault, after], size) => {
        expect(scan(Buffer.from(`${before.join('')}${fault}${after}"`), size)).toBe(MALFORMED);
      }),
      { numRuns: 500 },
    );
  });

  test('is not found before it came, and bytes of an earlier scan do not count', () => {
    expect(scan(Buffer.from('"'.repeat(64)), 64)).toBe(0);
    expect(scan(Buffer.from('no end'), 64)).toBe(NOT_ENDED);
    expect(scan(Buffer.from('no end\\'), 64)).toBe(NOT_ENDED);
  });
});
