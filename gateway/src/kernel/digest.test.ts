import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { canonicalJson, jsonDigest, sha256 } from './digest.ts';

describe('digests', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('the SHA-256 of %j is the published one', (text, digest) => {
    expect(sha256(text)).toBe(digest);
  });

  it('text is digested as UTF-8', () => {
    expect(sha256('한')).toBe('89233692031a62c60e6ef602b4cd9f3cb52a6dd8013fe9873c36101a7e3920e0');
  });

  it('the order of keys does not change a digest, at any depth', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonDigest(reversedKeys(value))).toBe(jsonDigest(value));
      }),
      { numRuns: 1000 },
    );
    expect(jsonDigest({ a: 1, b: { c: [1, { x: 1, y: 2 }], d: null } })).toBe(
      jsonDigest({ b: { d: null, c: [1, { y: 2, x: 1 }] }, a: 1 }),
    );
  });

  it('the canonical text is JSON for the same value, so two values never share one', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1000 },
    );
  });

  it('values that differ have digests that differ', () => {
    const values = [
      null,
      true,
      false,
      0,
      1,
      '',
      '0',
      'null',
      [],
      {},
      [[]],
      [{}],
      [null],
      [1, 2],
      [2, 1],
      ['1,2'],
      { a: 1 },
      { a: '1' },
      { a: null },
      { b: 1 },
      { a: { b: 1 } },
      { 'a:1,b': 1 },
      { a: 1, b: 1 },
      '\ud800',
      '\ufffd',
      '\\ud800',
      'é',
      'é'.normalize('NFD'),
    ];
    expect(new Set(values.map(jsonDigest)).size).toBe(values.length);
  });

  it('keys stand in code-unit order and nothing is spaced', () => {
    expect(canonicalJson({ b: 1, a: [1, 'x'], B: { é: null, z: true }, 10: 0, 9: 0 })).toBe(
      '{"10":0,"9":0,"B":{"z":true,"é":null},"a":[1,"x"],"b":1}',
    );
  });

  it('a field that is undefined counts as absent', () => {
    expect(jsonDigest({ a: 1, b: undefined })).toBe(jsonDigest({ a: 1 }));
  });

  it('an object without a prototype is a plain object', () => {
    expect(jsonDigest(Object.assign(Object.create(null), { a: 1 }))).toBe(jsonDigest({ a: 1 }));
  });

  it.each([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a Date', new Date(0)],
    ['a Map', new Map([[1, 2]])],
    ['a Set', new Set([1])],
    ['bytes', Buffer.from('x')],
    ['an instance of a class', new (class Point {})()],
    ['an array with a hole', new Array(1)],
  ])('%s is refused, alone and inside', (_name, value) => {
    expect(() => jsonDigest(value)).toThrow(TypeError);
    expect(() => jsonDigest([value])).toThrow(TypeError);
    if (value !== undefined) expect(() => jsonDigest({ a: { b: value } })).toThrow(TypeError);
  });
});

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversedKeys(item)]),
  );
}
