import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hoursText, type PricingHours, weekdays } from '../contract/price-hours.ts';
import { parseUnits, printUnits } from '../kernel/units.ts';
import { batchPrice, type ModelPrice, priceAt, priceOn } from './model-price.ts';
import { priceUsage } from './price.ts';
import { isWithin, readHours } from './price-hours.ts';

const at = (text: string): number => Date.parse(text);
const within = (hours: PricingHours, text: string): boolean => isWithin(readHours(hours), at(text));

describe('hours of a price', () => {
  test.each([
    ['01:00', '04:00', '2026-11-16T00:59:59.999Z', false],
    ['01:00', '04:00', '2026-11-16T01:00:00.000Z', true],
    ['01:00', '04:00', '2026-11-16T03:59:59.999Z', true],
    ['01:00', '04:00', '2026-11-16T04:00:00.000Z', false],
    ['16:30', '00:30', '2026-11-16T16:29:59.999Z', false],
    ['16:30', '00:30', '2026-11-16T16:30:00.000Z', true],
    ['16:30', '00:30', '2026-11-17T00:00:00.000Z', true],
    ['16:30', '00:30', '2026-11-17T00:29:59.999Z', true],
    ['16:30', '00:30', '2026-11-17T00:30:00.000Z', false],
    ['16:00', '00:00', '2026-11-16T23:59:59.999Z', true],
    ['16:00', '00:00', '2026-11-17T00:00:00.000Z', false],
    ['16:00', '24:00', '2026-11-16T23:59:59.999Z', true],
    ['16:00', '24:00', '2026-11-17T00:00:00.000Z', false],
  ])('from %s to %s: %s is %s', (from, to, moment, expected) => {
    expect(within({ from, to }, moment)).toBe(expected);
  });

  test('days are those on which the hours begin, also if they end on the next day', () => {
    const friday: PricingHours = { from: '22:00', to: '02:00', days: ['fri'] };
    expect(within(friday, '2026-11-20T21:59:59Z')).toBe(false);
    expect(within(friday, '2026-11-20T22:00:00Z')).toBe(true);
    expect(within(friday, '2026-11-21T01:59:59Z')).toBe(true);
    expect(within(friday, '2026-11-20T01:00:00Z')).toBe(false);
    expect(within(friday, '2026-11-21T22:00:00Z')).toBe(false);
  });

  test('do not begin on dates that are excepted', () => {
    const nights: PricingHours = { from: '22:00', to: '02:00', except: ['2027-01-01'] };
    expect(within(nights, '2027-01-01T01:00:00Z')).toBe(true);
    expect(within(nights, '2027-01-01T22:00:00Z')).toBe(false);
    expect(within(nights, '2027-01-02T01:00:00Z')).toBe(false);
    expect(within(nights, '2027-01-02T22:00:00Z')).toBe(true);
  });

  test('hours and their complement share no moment and leave none out', () => {
    const clock = fc.tuple(fc.nat(23), fc.nat(59));
    const text = ([hour, minute]: readonly [number, number]): string =>
      `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
    fc.assert(
      fc.property(clock, clock, fc.nat({ max: 4_000_000_000_000 }), (from, to, moment) => {
        fc.pre(text(from) !== text(to));
        const one = readHours({ from: text(from), to: text(to) });
        const other = readHours({ from: text(to), to: text(from) });
        expect(isWithin(one, moment)).toBe(!isWithin(other, moment));
      }),
    );
  });

  test('the weekday is that of the calendar in UTC', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4_000_000_000_000 }), (moment) => {
        const today = weekdays[(new Date(moment).getUTCDay() + 6) % 7] as (typeof weekdays)[number];
        expect(isWithin(readHours({ from: '00:00', to: '24:00', days: [today] }), moment)).toBe(true);
      }),
    );
  });

  test('are written as people read them', () => {
    expect(hoursText({ from: '16:30', to: '00:30' })).toBe('16:30-00:30 UTC');
    const days = ['mon', 'tue', 'wed', 'sat'] as const;
    expect(hoursText({ from: '01:00', to: '04:00', days: [...days], except: ['2027-01-01'] })).toBe(
      '01:00-04:00 UTC mon-wed sat, except 2027-01-01',
    );
  });
});

describe('a price with hours', () => {
  const price: ModelPrice = {
    tokens: { input: parseUnits('2'), output: parseUnits('8') },
    byHours: true,
    rules: [
      { hours: readHours({ from: '01:00', to: '04:00' }), factor: parseUnits('2') },
      { tier: 'flex', factor: parseUnits('0.5') },
      { batch: true, factor: parseUnits('0.5') },
    ],
  };
  const list = [{ from: null, price }];
  const million = {
    ...{ inputTokens: 1_000_000, cachedInputTokens: 0, cacheWriteTokens: 0 },
    ...{ outputTokens: 0, reasoningTokens: 0 },
  };
  const cost = (found: ModelPrice | null, tier?: string): string =>
    printUnits(
      priceUsage({ ...million, ...(tier && { details: { tier } }) }, found)?.total ?? parseUnits('99'),
    );

  test('applies in its hours, together with the rules for tiers and batches', () => {
    const [night, day] = [at('2026-11-16T03:00:00Z'), at('2026-11-16T12:00:00Z')];
    expect([cost(priceAt(list, night)), cost(priceAt(list, day))]).toEqual(['4', '2']);
    expect([cost(priceAt(list, night), 'flex'), cost(priceAt(list, day), 'flex')]).toEqual(['2', '1']);
    const batches = [batchPrice(priceAt(list, night)), batchPrice(priceAt(list, day))];
    expect(batches.map((one) => cost(one))).toEqual(['2', '1']);
  });

  test('is the same object in the same hours, so that it is resolved once', () => {
    const [one, two] = [at('2026-11-16T01:00:00Z'), at('2027-03-01T03:59:00Z')];
    expect(priceAt(list, one)).toBe(priceAt(list, two));
    expect(priceAt(list, at('2026-11-16T04:00:00Z'))).toBe(priceAt(list, at('2026-11-16T05:00:00Z')));
    expect(priceOn(list, one)).toBe(price);
  });

  test('that was chosen for a moment stays what it is at another one', () => {
    for (const [moment, expected] of [
      ['2026-11-16T03:00:00Z', '4'],
      ['2026-11-16T12:00:00Z', '2'],
    ] as const) {
      const chosen = [{ from: null, price: priceAt(list, at(moment)) as ModelPrice }];
      expect(cost(priceAt(chosen, at('2026-11-16T02:00:00Z')))).toBe(expected);
      expect(cost(priceAt(chosen, at('2026-11-16T20:00:00Z')))).toBe(expected);
    }
  });
});
