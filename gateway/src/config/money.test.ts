/** The section `money`: what a unit is worth, exactly as written, and which sections are rejected. */
import { describe, expect, test } from 'vitest';
import { readCatalog } from '../catalog/read-catalog.ts';
import { rateAt } from '../kernel/unit-value.ts';
import { readConfigFile } from './config-file.ts';

const read = (money: string) =>
  readCatalog(readConfigFile(`providers: {}\nmodels: {}\n${money}`, {}), 0).unitValue;

describe('what a unit is worth', () => {
  test('is nothing without the section', () => expect(read('')).toBeNull());

  test('is one value with every digit as written, also without quotes', () => {
    const rate = { currency: 'EUR', per_unit: '0.123456789012' };
    for (const written of ["'0.123456789012'", '0.123456789012'])
      expect(rateAt(read(`money: { currency: EUR, per_unit: ${written} }`), 0)).toEqual(rate);
  });

  test('changes at the beginning of a day (KST)', () => {
    const rates = "[{ per_unit: '0.9' }, { from: 2026-11-01, per_unit: '0.92' }]";
    const value = read(`money: { currency: EUR, rates: ${rates} }`);
    const start = Date.parse('2026-11-01T00:00:00+09:00');
    expect([start - 1, start].map((at) => rateAt(value, at)?.per_unit)).toEqual(['0.9', '0.92']);
  });

  const dated = (from: string) => `{ from: ${from}, per_unit: 1 }`;
  test.each([
    [
      'an unknown currency',
      '{ currency: EUX, per_unit: 1 }',
      /money\.currency: there is no EUX; did you mean EU/,
    ],
    ['a currency of the past', '{ currency: DEM, per_unit: 1 }', /money\.currency: there is no DEM/],
    ['another form', '{ currency: euro, per_unit: 1 }', /money\.currency must be a code of three capital/],
    ['no value', '{ currency: EUR }', /money must have either per_unit or rates/],
    ['two values', `{ currency: EUR, per_unit: 1, rates: [{ per_unit: 1 }] }`, /either per_unit or rates/],
    ['no rate', '{ currency: EUR, rates: [] }', /money\.rates must not be empty/],
    [
      'a negative value',
      '{ currency: EUR, per_unit: -1 }',
      /per_unit must be a decimal number that is not neg/,
    ],
    ['zero', '{ currency: EUR, per_unit: 0.00 }', /money\.per_unit must be more than zero/],
    ['an exponent', '{ currency: EUR, per_unit: 9.2e-1 }', /money\.per_unit must be a decimal number/],
    ['13 places', '{ currency: EUR, per_unit: 0.1234567890123 }', /money\.per_unit must be a decimal number/],
    [
      'the same day twice',
      `{ currency: EUR, rates: [${dated('2026-11-01')}, ${dated('2026-11-01')}] }`,
      /money\.rates\[1\]\.from must be later/,
    ],
    [
      'days that do not rise',
      `{ currency: EUR, rates: [${dated('2026-11-02')}, ${dated('2026-11-01')}] }`,
      /money\.rates\[1\]\.from must be later/,
    ],
    [
      'a later rate without a day',
      `{ currency: EUR, rates: [${dated('2026-11-01')}, { per_unit: 1 }] }`,
      /money\.rates\[1\] needs a from/,
    ],
    ['no such day', `{ currency: EUR, rates: [${dated('2026-02-30')}] }`, /rates\[0\]\.from is not a date/],
    ['a time', `{ currency: EUR, rates: [${dated('2026-11-01T00:00Z')}] }`, /from must be a day, such as/],
  ])('%s is rejected, naming the field', (_, money, reason) => {
    expect(() => read(`money: ${money}`)).toThrow(reason);
  });
});
