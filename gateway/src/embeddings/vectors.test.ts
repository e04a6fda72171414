import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readVector, writeVector } from './vectors.ts';

const bitsOf = (vector: Float32Array | null): number[] | null =>
  vector && [...new Uint32Array(vector.buffer, vector.byteOffset, vector.length)];
const float = fc.float({ noNaN: true, noDefaultInfinity: true });
const vectors = fc.float32Array({ minLength: 1, noNaN: true, noDefaultInfinity: true });

test('both encodings keep the same bits in both directions', () => {
  fc.assert(
    fc.property(vectors, (vector) => {
      const viaBase64 = readVector(JSON.parse(writeVector(vector, 'base64')));
      const viaNumbers = readVector(JSON.parse(writeVector(vector, 'float')));
      expect(bitsOf(viaBase64)).toEqual(bitsOf(vector));
      expect(bitsOf(viaNumbers)).toEqual(bitsOf(vector));
    }),
    { numRuns: 500 },
  );
});

test('the sign of zero is kept', () => {
  expect(writeVector(new Float32Array([0, -0, 1]), 'float')).toBe('[0,-0.0,1]');
});

test('base64 is little-endian, as clients expect', () => {
  expect(writeVector(new Float32Array([1, -2]), 'base64')).toBe('"AACAPwAAAMA="');
});

test('numbers with more digits than 32 bits hold are rounded to the nearest', () => {
  fc.assert(
    fc.property(
      float,
      (value) => readVector([value + value / 1e9])?.[0] === Math.fround(value + value / 1e9),
    ),
  );
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['an empty list', []],
  ['an empty text', ''],
  ['a list with a text', [1, '2']],
  ['a list with null', [1, null]],
  ['numbers beyond 32 bits', [1e39]],
  ['base64 of an odd length', 'AACA'],
  ['a text that is not base64', 'AACAPw!!AAAA'],
  ['base64 of what is not a number', 'AADAfw=='],
])('%s is not a vector', (_, value) => {
  expect(readVector(value)).toBeNull();
});
