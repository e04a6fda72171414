import { expect, test } from 'vitest';
import { exactRatio, shiftDecimal } from './decimal-text.ts';

test('moves the point of a written number exactly, with exponents', () => {
  const cases: ReadonlyArray<readonly [text: string, places: number, moved: string]> = [
    ['2.5e-06', 6, '2.5'],
    ['0.0000025', 6, '2.5'],
    ['3.625e-9', 6, '0.003625'],
    ['1E-7', 6, '0.1'],
    ['.075', 0, '0.075'],
    ['15', 0, '15'],
    ['2e5', 0, '200000'],
    ['0', 6, '0'],
    ['0.30', 0, '0.3'],
    ['5', -3, '0.005'],
    ['9007199254740993', 0, '9007199254740993'],
  ];
  for (const [text, places, moved] of cases) expect(shiftDecimal(text, places)).toBe(moved);
});

test('never rounds: what needs more than 12 places, and what is not a price, is null', () => {
  expect(shiftDecimal('0.1234567890123', 0)).toBeNull();
  expect(shiftDecimal('2.9999999999999997e-07', 6)).toBeNull();
  for (const text of ['-1', 'NaN', '1,5', '', '.', '0x10', 'Infinity'])
    expect(shiftDecimal(text, 0)).toBeNull();
});

test('a ratio is exact or null', () => {
  expect(exactRatio('2.5', '5')).toBe('0.5');
  expect(exactRatio('10', '3')).toBeNull();
  expect(exactRatio('1', '0')).toBeNull();
});
