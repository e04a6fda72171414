import { expect, test } from 'vitest';
import { json, storableValues } from '../database/sql.ts';
import { checkStorable } from './storable-text.ts';

test('what no text column takes is replaced in every value of a statement, in lists too', () => {
  expect(storableValues(['a\0b', ['\ud800', 'fine 한'], 1, null])).toEqual([
    'a\ufffdb',
    ['\ufffd', 'fine 한'],
    1,
    null,
  ]);
});

test('JSON for the database holds no escape of what it cannot read, and is exact otherwise', () => {
  const nasty = { 'na\0me': ['x\0', { deep: '\udfff' }], pair: '😀', backslash: '\\u0000', number: 1 };
  expect(JSON.parse(json(nasty))).toEqual({
    'na\ufffdme': ['x\ufffd', { deep: '\ufffd' }],
    pair: '😀',
    backslash: '\\u0000',
    number: 1,
  });
});

test('what a caller sends to be stored is rejected with the name of the field', () => {
  expect(() => checkStorable({ team: 'a', note: 'x\0' }, 'metadata')).toThrow(
    expect.objectContaining({ code: 'invalid_parameter', param: 'metadata.note' }),
  );
  expect(() => checkStorable({ '\ud800': 'a' }, 'metadata')).toThrow(
    expect.objectContaining({ param: 'metadata' }),
  );
  expect(() => checkStorable({ team: '😀' }, 'metadata')).not.toThrow();
});
