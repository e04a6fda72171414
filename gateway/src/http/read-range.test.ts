import { describe, expect, test } from 'vitest';
import { answerRange } from './read-range.ts';

const file = { bytes: 100, etag: '"abc"' };
const get = (headers: Record<string, string>) => answerRange({ method: 'GET', headers }, file);
const part = (start: number, end: number) => ({ kind: 'part', start, end });

describe('a range of a file of 100 bytes', () => {
  test.each([
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-99', part(0, 99)],
    ['bytes=10-19', part(10, 19)],
    ['bytes=99-', part(99, 99)],
    ['bytes=0-', part(0, 99)],
    ['bytes=90-1000', part(90, 99)],
    ['bytes=-1', part(99, 99)],
    ['bytes=-100', part(0, 99)],
    ['bytes=-1000', part(0, 99)],
    ['Bytes= 5-6 ', part(5, 6)],
  ])('%s is that part', (range, expected) => {
    expect(get({ range })).toEqual(expected);
  });

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=999999999999999-'])(
    '%s begins behind the end',
    (range) => {
      expect(get({ range })).toEqual({ kind: 'beyond' });
    },
  );

  test.each([
    ...[
      'bytes=0-1,5-6',
      'bytes=5-4',
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'bytes=0x1-5',
      'lines=0-1',
      'bytes 0-1',
    ],
    ...['bytes=1-2-3', 'bytes=--5', 'bytes=1.5-3', `bytes=${'9'.repeat(40)}-`, ''],
  ])('%j is several or none, and gives the whole', (range) => {
    expect(get({ range })).toEqual({ kind: 'whole' });
  });

  test('a request without a range gets the whole file, and HEAD ignores ranges', () => {
    expect(get({})).toEqual({ kind: 'whole' });
    expect(answerRange({ method: 'HEAD', headers: { range: 'bytes=0-1' } }, file)).toEqual({ kind: 'whole' });
  });
});

describe('conditional requests', () => {
  test.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])('If-None-Match: %s is unchanged', (tag) => {
    expect(get({ 'if-none-match': tag, range: 'bytes=0-1' })).toEqual({ kind: 'unchanged' });
  });

  test.each(['"x"', 'abc', ''])('If-None-Match: %s is not', (tag) => {
    expect(get({ 'if-none-match': tag })).toEqual({ kind: 'whole' });
  });

  test('If-Range gets the part if the file is the same, else the whole file', () => {
    expect(get({ range: 'bytes=0-1', 'if-range': '"abc"' })).toEqual(part(0, 1));
    for (const tag of ['"x"', 'W/"abc"', 'Sun, 01 Nov 2026 00:00:00 GMT'])
      expect(get({ range: 'bytes=0-1', 'if-range': tag })).toEqual({ kind: 'whole' });
    expect(get({ range: 'bytes=500-', 'if-range': '"x"' })).toEqual({ kind: 'whole' });
  });
});
