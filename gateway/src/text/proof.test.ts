import { expect, test } from 'vitest';
import { readProof, writeProof } from './proof.ts';

test.each([
  ['anthropic', 'EqQBCg/+A==', 'EqQBCg/+A=='],
  ['google', 'EqQBCg/+A==', 'google.EqQBCg/+A=='],
  ['anthropic', 'looks.prefixed', 'anthropic.looks.prefixed'],
])('a proof of %s is returned unchanged', (dialect, value, shown) => {
  expect(writeProof({ dialect, value }, 'anthropic')).toBe(shown);
  expect(readProof(shown, 'anthropic')).toEqual({ dialect, value });
});

test('an empty string is no proof', () => {
  expect(readProof('', 'anthropic')).toBeNull();
});
