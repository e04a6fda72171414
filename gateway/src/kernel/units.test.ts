import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUnits, multiplyUnits, parseUnits, printUnits, sumUnits, type Units, ZERO } from './units.ts';

const LARGEST = 10n ** 38n - 1n;
const amounts = fc.bigInt({ min: -LARGEST, max: LARGEST }).map((value) => value as Units);
const digits = (lengths: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), ...lengths });

/** Decimal text as people write it: signs, leading and trailing zeros, a bare point at either end. */
const decimals = fc
  .record({
    sign: fc.constantFrom('', '-', '+'),
    whole: digits({ minLength: 0, maxLength: 26 }),
    point: fc.boolean(),
    fraction: digits({ minLength: 0, maxLength: 12 }),
  })
  .filter(({ whole, point, fraction }) => whole !== '' || (point && fraction !== ''))
  .map(({ sign, whole, point, fraction }) => ({
    text: `${sign}${whole}${point ? `.${fraction}` : ''}`,
    value: BigInt(`${whole}${(point ? fraction : '').padEnd(12, '0')}`) * (sign === '-' ? -1n : 1n),
  }));

describe('reading and writing amounts', () => {
  it('every amount that fits the database is read back from its print unchanged', () => {
    fc.assert(
      fc.property(amounts, (amount) => parseUnits(printUnits(amount)) === amount),
      { numRuns: 2000 },
    );
    for (const edge of [LARGEST, -LARGEST, 1n, -1n, 10n ** 12n, 10n ** 12n - 1n, 2n ** 53n, 2n ** 53n - 1n]) {
      expect(parseUnits(printUnits(edge as Units))).toBe(edge);
    }
  });

  it('a print has no exponent, no trailing zero, no superfluous leading zero and no minus zero', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(printUnits(amount)).toMatch(/^(?:0|-?[1-9]\d*(?:\.\d*[1-9])?|-?0\.\d*[1-9])$/);
      }),
    );
  });

  it('zero prints as 0 however it was written', () => {
    expect(printUnits(ZERO)).toBe('0');
    for (const text of ['0', '-0', '+0', '0.0', '-0.000', '.0', '0.', '00000', '-.0']) {
      expect(printUnits(parseUnits(text))).toBe('0');
    }
  });

  it('every way of writing a decimal gives its exact value and one normal print', () => {
    fc.assert(
      fc.property(decimals, ({ text, value }) => {
        const amount = parseUnits(text);
        expect(amount).toBe(value);
        expect(parseUnits(printUnits(amount))).toBe(value);
      }),
      { numRuns: 2000 },
    );
    expect(printUnits(parseUnits('-0012.5000'))).toBe('-12.5');
    expect(printUnits(parseUnits('.000000000001'))).toBe('0.000000000001');
    expect(printUnits(parseUnits('100'))).toBe('100');
  });

  it.each([
    '',
    ' ',
    '.',
    '+',
    '-',
    '+.',
    '-.',
    '1e3',
    '1E-3',
    '0x1',
    '0b1',
    '1n',
    '1_000',
    '1,5',
    '1.2.3',
    '--1',
    '+-1',
    ' 1',
    '1 ',
    '1\n',
    '\t1',
    '1\u0000',
    'NaN',
    'Infinity',
    'null',
    '١',
    '\uff11',
    '−1',
    '1.0000000000001',
    '0.1234567890123',
    '100000000000000000000000000',
    '-999999999999999999999999999',
    `0.${'0'.repeat(60)}`,
    `${'0'.repeat(60)}1`,
  ])('%j is refused as an amount', (text) => {
    expect(() => parseUnits(text)).toThrow(RangeError);
  });

  it('text is an amount exactly when it is a plain decimal of at most 26 + 12 digits', () => {
    const almost = fc.string({ unit: fc.constantFrom(...'0019.+-e x'), maxLength: 20 });
    fc.assert(
      fc.property(almost, (text) => {
        const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text);
        const places = (text.split('.')[1] ?? '').replace(/0+$/, '').length;
        const accepted = accepts(() => parseUnits(text));
        expect(accepted).toBe(plain && places <= 12);
      }),
      { numRuns: 3000 },
    );
  });

  it('a hostile long text is refused without work that grows with it, and is not repeated in full', () => {
    for (const text of [
      `${'0'.repeat(5_000_000)}x`,
      `1.${'0'.repeat(5_000_000)}`,
      '9'.repeat(5_000_000),
      `0.${'0'.repeat(4_999_999)}1x`,
    ]) {
      const message = messageOf(() => parseUnits(text));
      expect(message.length).toBeLessThan(120);
    }
  });
});

describe('sums', () => {
  it('a sum is the exact sum of the integers, in any order and grouping', () => {
    fc.assert(
      fc.property(fc.array(amounts, { maxLength: 50 }), fc.nat(), (list, at) => {
        const cut = at % (list.length + 1);
        let reference = 0n;
        for (const amount of list) reference += amount;
        expect(sumUnits(list)).toBe(reference);
        expect(sumUnits(list.toReversed())).toBe(reference);
        expect(addUnits(sumUnits(list.slice(0, cut)), sumUnits(list.slice(cut)))).toBe(reference);
      }),
    );
  });

  it('ten thousand cents are exactly one hundred: nothing is held as a floating number', () => {
    expect(printUnits(sumUnits(Array.from({ length: 10_000 }, () => parseUnits('0.01'))))).toBe('100');
    expect(printUnits(addUnits(parseUnits('0.1'), parseUnits('0.2')))).toBe('0.3');
    expect(printUnits(addUnits(parseUnits('9007199254740993'), parseUnits('0.000000000001')))).toBe(
      '9007199254740993.000000000001',
    );
  });

  it('the sum of nothing is zero', () => {
    expect(sumUnits([])).toBe(ZERO);
  });
});

describe('price × count ÷ per', () => {
  const counts = fc.maxSafeInteger();
  const divisors = fc.oneof(
    fc.constantFrom(1, 2, 3, 4, 10, 1000, 1_000_000),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  );

  it('the result is the nearest 10⁻¹² unit, and of two equally near ones the even', () => {
    fc.assert(
      fc.property(amounts, counts, divisors, (price, count, per) => {
        const result = multiplyUnits(price, { count, per });
        // |result × per − price × count| × 2 is at most per; equality is a tie and asks for even.
        const error = result * BigInt(per) - price * BigInt(count);
        const twice = (error < 0n ? -error : error) * 2n;
        expect(twice <= BigInt(per)).toBe(true);
        if (twice === BigInt(per)) expect(result % 2n).toBe(0n);
      }),
      { numRuns: 2000 },
    );
  });

  it('exact ties go to the even neighbour, below zero as above', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (whole) => {
        // (2 × whole + 1) ÷ 2 lies exactly between `whole` and `whole + 1`.
        const tie = (2n * whole + 1n) as Units;
        const even = whole % 2n === 0n ? whole : whole + 1n;
        expect(multiplyUnits(tie, { count: 1, per: 2 })).toBe(even);
        expect(multiplyUnits(-tie as Units, { count: -1, per: 2 })).toBe(even);
      }),
    );
    const halves = [-7n, -5n, -3n, -1n, 1n, 3n, 5n, 7n].map((n) =>
      multiplyUnits(n as Units, { count: 1, per: 2 }),
    );
    expect(halves).toEqual([-4n, -2n, -2n, 0n, 0n, 2n, 2n, 4n]);
  });

  it('a price per million with up to six places is charged exactly, without rounding', () => {
    const prices = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }).map((n) => (n * 10n ** 6n) as Units);
    fc.assert(
      fc.property(prices, counts, (price, count) => {
        const charged = multiplyUnits(price, { count, per: 1_000_000 });
        expect(charged * 1_000_000n).toBe(price * BigInt(count));
      }),
    );
    expect(printUnits(multiplyUnits(parseUnits('0.150001'), { count: 7, per: 1_000_000 }))).toBe(
      '0.000001050007',
    );
  });

  it('a count of nothing costs nothing, and a price per one is a plain product', () => {
    fc.assert(
      fc.property(amounts, counts, (price, count) => {
        expect(multiplyUnits(price, { count: 0, per: 1_000_000 })).toBe(0n);
        expect(multiplyUnits(price, { count, per: 1 })).toBe(price * BigInt(count));
      }),
    );
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('a count of %s is refused', (count) => {
    expect(() => multiplyUnits(parseUnits('1'), { count, per: 1 })).toThrow(RangeError);
  });

  it.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('a price per %s is refused', (per) => {
    expect(() => multiplyUnits(parseUnits('1'), { count: 1, per })).toThrow(RangeError);
  });
});

function accepts(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error('nothing was thrown');
}
