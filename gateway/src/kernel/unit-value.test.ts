import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencyCodes, currencyDigits } from './currencies.ts';
import { inCurrency, printWorth, rateAt, worthOf } from './unit-value.ts';
import { parseUnits, printUnits, type Units } from './units.ts';

const anyUnits = fc
  .bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
  .map((count) => printUnits(count as Units));
const anyRate = fc.record({
  currency: fc.constantFrom('EUR', 'KRW', 'KWD'),
  per_unit: fc.bigInt({ min: 1n, max: 10n ** 26n }).map((count) => printUnits(count as Units)),
});

describe('units in a currency', () => {
  test('are as near as the digits of the currency allow, and half of a digit goes to the even one', () => {
    fc.assert(
      fc.property(anyUnits, anyRate, (units, rate) => {
        const digits = currencyDigits(rate.currency);
        const amount = inCurrency(units, rate);
        expect(amount).toMatch(digits === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${digits}}$`));
        // Both as whole counts of 10⁻²⁴, so that nothing is rounded here.
        const shown = BigInt(amount.replace('.', '')) * 10n ** BigInt(24 - digits);
        const exact = parseUnits(units) * parseUnits(rate.per_unit);
        const twice = (shown > exact ? shown - exact : exact - shown) * 2n;
        const step = 10n ** BigInt(24 - digits);
        expect(twice <= step).toBe(true);
        if (twice === step) expect(/[02468]$/.test(amount)).toBe(true);
      }),
    );
  });

  test.each([
    ['0.125', '1', 'EUR', '0.12'],
    ['0.135', '1', 'EUR', '0.14'],
    ['-0.125', '1', 'EUR', '-0.12'],
    ['-0.001', '1', 'EUR', '0.00'],
    ['0.125000000001', '1', 'EUR', '0.13'],
    ['2.5', '1', 'JPY', '2'],
    ['3.5', '1', 'JPY', '4'],
    ['0.0005', '1', 'KWD', '0.000'],
    ['1.005', '0.92', 'EUR', '0.92'],
    ['99999999999999999999999999.999999999999', '0.01', 'EUR', '1000000000000000000000000.00'],
  ])('%s units at %s %s are %s', (units, per_unit, currency, amount) => {
    expect(worthOf(units, { currency, per_unit })).toEqual({ currency, amount, per_unit });
  });

  test('a sum is converted as a whole: its parts may differ from it by their own rounding', () => {
    const rate = { currency: 'EUR', per_unit: '1' };
    expect([inCurrency('0.004', rate), inCurrency('0.012', rate)]).toEqual(['0.00', '0.01']);
    expect(printWorth('-12.5', rate)).toBe('-12.50 EUR');
  });
});

describe('the rate of a time', () => {
  const value = {
    currency: 'EUR',
    rates: [
      { from: 1_000, perUnit: '0.9' },
      { from: 2_000, perUnit: '0.92' },
    ],
  };

  test('is the last one that began, from its first moment on', () => {
    const rates = [1_000, 1_999, 2_000, 9_999].map((at) => rateAt(value, at)?.per_unit);
    expect(rates).toEqual(['0.9', '0.9', '0.92', '0.92']);
  });

  test('is unknown before the first, and without a configuration', () => {
    expect([rateAt(value, 999), rateAt(null, 999), worthOf('1', null)]).toEqual([null, null, null]);
    expect(rateAt({ currency: 'EUR', rates: [{ from: null, perUnit: '1' }] }, 0)?.per_unit).toBe('1');
  });
});

describe('the list of currencies', () => {
  test('has codes that others know too, each once', () => {
    const known = Intl.supportedValuesOf('currency');
    // Newer than some versions of ICU.
    const recent = ['XCG', 'ZWG'];
    expect(currencyCodes.filter((code) => !known.includes(code) && !recent.includes(code))).toEqual([]);
    expect(new Set(currencyCodes).size).toBe(currencyCodes.length);
  });

  test.each(['EUR', 'USD', 'KRW', 'JPY', 'CNY', 'GBP', 'CHF', 'KWD', 'BHD', 'TND', 'VND', 'CLP', 'INR'])(
    'has the digits of %s',
    (currency) => {
      const { maximumFractionDigits } = new Intl.NumberFormat('en', {
        style: 'currency',
        currency,
      }).resolvedOptions();
      expect(currencyDigits(currency)).toBe(maximumFractionDigits);
    },
  );

  test('rejects what is no currency', () => {
    for (const code of ['XXX', 'DEM', 'eur', 'toString']) expect(() => currencyDigits(code)).toThrow(code);
  });
});
