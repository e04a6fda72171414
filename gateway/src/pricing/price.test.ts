import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits, printUnits, sumUnits } from '../kernel/units.ts';
import { batchPrice, type ModelPrice, priceUsage } from './price.ts';
import { plausibleUsage, type Usage } from './usage.ts';

const price: ModelPrice = {
  input: parseUnits('2.5'),
  cachedInput: parseUnits('0.25'),
  cacheWrite: parseUnits('3.125'),
  output: parseUnits('10'),
};

const usage: Usage = {
  inputTokens: 1_000,
  cachedInputTokens: 600,
  cacheWriteTokens: 100,
  outputTokens: 50,
  reasoningTokens: 20,
};

const tokens = fc.nat({ max: 10_000_000 });
const anyUsage = fc.tuple(tokens, tokens, tokens, tokens, tokens).map(
  ([plain, cached, written, said, thought]): Usage => ({
    inputTokens: plain + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: said + thought,
    reasoningTokens: thought,
  }),
);

describe('pricing', () => {
  test('each component is priced by its own price, and the lines add up to the total', () => {
    const charge = priceUsage(usage, price);
    expect(charge?.lines.map((line) => [line.component, line.count, printUnits(line.amount)])).toEqual([
      ['input', 300, '0.00075'],
      ['cached_input', 600, '0.00015'],
      ['cache_write', 100, '0.0003125'],
      ['output', 30, '0.0003'],
      ['reasoning', 20, '0.0002'],
    ]);
    expect(charge && printUnits(charge.total)).toBe('0.0017125');
  });

  test('for any usage the lines add up to the total and their counts to the tokens', () => {
    fc.assert(
      fc.property(anyUsage, (used) => {
        const charge = priceUsage(used, price);
        if (charge === null) throw new Error('unpriced');
        expect(charge.total).toBe(sumUnits(charge.lines.map((line) => line.amount)));
        const counted = charge.lines.reduce((sum, line) => sum + line.count, 0);
        expect(counted).toBe(used.inputTokens + used.outputTokens);
      }),
    );
  });

  test('without a price for everything that was used the cost is unknown, never zero', () => {
    expect(priceUsage(usage, null)).toBeNull();
    expect(priceUsage(usage, { input: parseUnits('1') })).toBeNull();
  });

  test('zero usage costs exactly zero', () => {
    const none = {
      inputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
    };
    expect(priceUsage(none, price)).toEqual({ total: 0n, lines: [] });
  });

  test('cached tokens without their own price cost the same as input', () => {
    const charge = priceUsage(
      { ...usage, cacheWriteTokens: 0 },
      { input: parseUnits('2'), output: parseUnits('0') },
    );
    expect(charge && printUnits(charge.total)).toBe('0.002');
  });

  test.each([
    ['negative', { inputTokens: -1 }],
    ['fractional', { outputTokens: 1.5 }],
    ['infinite', { inputTokens: Number.POSITIVE_INFINITY }],
    ['absurd', { outputTokens: 1e30 }],
    ['text', { inputTokens: '5' as unknown as number }],
    ['more cached than sent', { cachedInputTokens: 2_000 }],
    ['more reasoning than output', { reasoningTokens: 51 }],
  ])('a count of %s tokens is rejected as a mistake of the provider', (_, wrong) => {
    expect(plausibleUsage({ ...usage, ...wrong })).toBe(false);
  });
});

describe('batch prices', () => {
  const batch = { ...price, batchInput: parseUnits('1.25'), batchOutput: parseUnits('5') };

  test('price every token of a line, including cached and reasoning tokens', () => {
    const charge = priceUsage(usage, batchPrice(batch));
    expect(charge?.lines.map((line) => [line.component, line.count, printUnits(line.price)])).toEqual([
      ['input', 300, '1.25'],
      ['cached_input', 600, '1.25'],
      ['cache_write', 100, '1.25'],
      ['output', 30, '5'],
      ['reasoning', 20, '5'],
    ]);
    expect(printUnits(charge?.total ?? (0n as never))).toBe('0.0015');
  });

  test('that are missing make the cost unknown: neither the prices of calls nor zero are used', () => {
    expect(priceUsage(usage, batchPrice(price))).toBeNull();
    expect(priceUsage(usage, batchPrice({ ...price, batchInput: parseUnits('1') }))).toBeNull();
    expect(batchPrice(null)).toBeNull();
  });
});
