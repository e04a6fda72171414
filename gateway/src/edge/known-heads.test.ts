import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KnownHeads } from './known-heads.ts';
import { readRequestHead } from './request-head.ts';

const head = (...lines: readonly string[]): string =>
  ['POST /v1/chat HTTP/1.1', 'Host: a', ...lines].join('\r\n');

/** Between other bytes, as in a read of several requests. */
function placed(text: string): { bytes: Buffer; start: number; end: number } {
  const before = 'x-length: 9\r\n\r\n';
  const bytes = Buffer.from(`${before}${text}\r\n\r\nlength: 7`, 'latin1');
  return { bytes, start: before.length, end: before.length + text.length };
}

function readBy(heads: KnownHeads, text: string): unknown {
  const { bytes, start, end } = placed(text);
  return heads.read(bytes, start, end);
}

function readAnew(text: string): unknown {
  const { bytes, start, end } = placed(text);
  return readRequestHead(bytes, start, end);
}

/** A head that was read often enough to be known. */
function knowing(text: string): KnownHeads {
  const heads = new KnownHeads();
  for (let time = 0; time < 3; time++) expect(readBy(heads, text)).toEqual(readAnew(text));
  return heads;
}

const LAST = head('Authorization: Bearer sk_0123456789', 'Content-Length: 512');
const FIRST = head('content-length: 512', 'x-length: 3', 'Authorization: Bearer sk_0123456789');
const NONE = head('Authorization: Bearer sk_0123456789');
const CHUNKS = head('Transfer-Encoding: chunked', 'x-length: 3');
const WAITS = head('Expect: 100-continue', 'Content-Length: 512');
const SPACED = head('Content-Length: 512 ', 'Accept: */*');

describe('a head that is known', () => {
  test('is not read again, whatever the length of the body', () => {
    const heads = knowing(LAST);
    const { headers } = readBy(heads, LAST) as { headers: object };
    const other = readBy(heads, LAST.replace('512', '1000000')) as { headers: object; bodyBytes: number };
    expect(other.bodyBytes).toBe(1_000_000);
    expect(other.headers).toBe(headers);
    expect(Object.isFrozen(headers)).toBe(true);
  });

  test.each([LAST, FIRST, NONE, CHUNKS, WAITS, SPACED])(
    'is read as if it were new, with any length: %j',
    (text) => {
      const heads = knowing(text);
      for (const length of [
        '0',
        '5',
        '511',
        '00512',
        '123456789012345',
        '1234567890123456',
        '',
        ' 512',
        '-1',
        '5 5',
        '5,5',
      ])
        for (const each of [text.replace('512', length), text.replace(' 512', length)])
          expect(readBy(heads, each), each).toEqual(readAnew(each));
    },
  );

  test.each([LAST, FIRST, NONE, CHUNKS, WAITS, SPACED])(
    'is not mistaken for one with another byte: %j',
    (text) => {
      const heads = knowing(text);
      for (let at = 0; at < text.length; at++)
        for (const byte of ['0', 'a', 'A', ' ', '\t', '\r', '\n', ':', ',']) {
          const changed = text.slice(0, at) + byte + text.slice(at + 1);
          const longer = text.slice(0, at) + byte + text.slice(at);
          const shorter = text.slice(0, at) + text.slice(at + 1);
          for (const each of [changed, longer, shorter])
            expect(readBy(heads, each), each).toEqual(readAnew(each));
          expect(readBy(heads, text)).toEqual(readAnew(text));
        }
    },
  );

  test('is read as if it were new among any others', () => {
    const heads = new KnownHeads();
    const line = fc.constantFrom(
      'Content-Length: 5',
      'content-length: 12',
      'x-length: 5',
      'Content-Length:',
      'a: b',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const text = head(...lines);
        for (let time = 0; time < 3; time++) expect(readBy(heads, text)).toEqual(readAnew(text));
      }),
      { numRuns: 500 },
    );
  });
});
