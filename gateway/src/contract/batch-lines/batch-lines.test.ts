import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BatchLines } from './batch-lines.ts';

function split(pieces: readonly Buffer[], bytesMax = 100): Array<[number, string]> {
  const seen: Array<[number, string]> = [];
  const lines = new BatchLines<Buffer>({
    join: Buffer.concat,
    bytesMax,
    onLine: (bytes, row) => seen.push([row, bytes.toString('latin1')]),
    onTooLong: (row) => seen.push([row, 'TOO LONG']),
  });
  for (const piece of pieces) lines.push(piece);
  lines.end();
  return seen;
}
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

test.each<[string, string, Array<[number, string]>]>([
  [
    'LF ends a line',
    '{a}\n{b}\n',
    [
      [1, '{a}'],
      [2, '{b}'],
    ],
  ],
  [
    'CRLF ends a line',
    '{a}\r\n{b}\r\n',
    [
      [1, '{a}'],
      [2, '{b}'],
    ],
  ],
  ['a lone CR ends nothing', '{a}\r{b}\n', [[1, '{a}\r{b}']]],
  [
    'the last line needs no end',
    '{a}\n{b}',
    [
      [1, '{a}'],
      [2, '{b}'],
    ],
  ],
  [
    'the last line may end in a CR',
    '{a}\n{b}\r',
    [
      [1, '{a}'],
      [2, '{b}'],
    ],
  ],
  ['a byte order mark at the start is no part of the line', '\xef\xbb\xbf{a}\n', [[1, '{a}']]],
  [
    'a byte order mark elsewhere is part of its line',
    '{a}\n\xef\xbb\xbf{b}',
    [
      [1, '{a}'],
      [2, '\xef\xbb\xbf{b}'],
    ],
  ],
  [
    'blank lines are skipped and counted',
    '\n{a}\n \t\r\n\n{b}\n\n',
    [
      [2, '{a}'],
      [5, '{b}'],
    ],
  ],
  ['an empty file has no lines', '', []],
  ['a file of blank lines has none either', '\n\r\n  \n', []],
  ['a file of a byte order mark has none either', '\xef\xbb\xbf', []],
])('%s', (_, text, expected) => {
  expect(split([bytes(text)])).toEqual(expected);
});

test('the lines do not depend on where the chunks are cut', () => {
  const file = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'x', '{"a":1}', ' ', '\xef\xbb\xbf', '\xff'), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(file, fc.array(fc.nat(200)), (parts, cuts) => {
      const whole = bytes(parts.join(''));
      const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = at.slice(1).map((end, i) => whole.subarray(at[i], end));
      expect(split(pieces, 12)).toEqual(split([whole], 12));
    }),
  );
});

test('a line of exactly the limit is accepted, also with a byte order mark and a CRLF', () => {
  const line = 'x'.repeat(10_000_000);
  for (const text of [line, `${line}\n`, `\xef\xbb\xbf${line}\r\n`]) {
    const pieces = bytes(text);
    const seen = split([pieces.subarray(0, 7_000_000), pieces.subarray(7_000_000)], 10_000_000);
    expect(seen.map(([row, it]) => [row, it.length])).toEqual([[1, 10_000_000]]);
  }
});

test('a line one byte above the limit is reported, and the next line is read', () => {
  const text = bytes(`${'x'.repeat(10_000_001)}\n{b}\n`);
  const pieces = Array.from({ length: 11 }, (_, i) => text.subarray(i * 1_000_000, (i + 1) * 1_000_000));
  expect(split(pieces, 10_000_000)).toEqual([
    [1, 'TOO LONG'],
    [2, '{b}'],
  ]);
  expect(split([text], 10_000_000)).toEqual([
    [1, 'TOO LONG'],
    [2, '{b}'],
  ]);
});
