import { expect, test } from 'vitest';
import { type JsonPointer, parsePointer, valueAt } from './json-pointer.ts';

/** The document and the places of RFC 6901, section 5. */
const document = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

test.each([
  ['', document],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
  ['/foo/2', undefined],
  ['/foo/-', undefined],
  ['/foo/00', undefined],
  ['/foo/length', undefined],
  ['/toString', undefined],
  ['/nothing/there', undefined],
])('%j is %j', (text, value) => {
  expect(valueAt(document, parsePointer(text) as JsonPointer)).toEqual(value);
});

test.each(['foo', '~', '/a~2', '/a~', '$.foo'])('%j is no place', (text) => {
  expect(parsePointer(text)).toBeNull();
});
