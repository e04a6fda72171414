import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstIdAt, type IdPrefix, isId, newId, randomBase62, randomFraction } from './ids.ts';

const NOW = Date.parse('2026-11-15T00:00:00Z');
const prefixes = fc.constantFrom<IdPrefix>('req', 'spc', 'mem', 'key', 'grt');
const instants = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('ids', () => {
  it('an id is its prefix, an underscore and 26 characters of base 32', () => {
    fc.assert(
      fc.property(prefixes, instants, (prefix, now) => {
        const id = newId(prefix, now);
        expect(id).toMatch(/^[a-z]{3}_[0-9abcdefghjkmnpqrstvwxyz]{26}$/);
        expect(id.startsWith(`${prefix}_`)).toBe(true);
        expect(isId(prefix, id)).toBe(true);
      }),
    );
  });

  it('ids of a later instant sort after ids of an earlier one', () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        fc.pre(a !== b);
        expect(newId('req', a) < newId('req', b)).toBe(a < b);
      }),
      { numRuns: 2000 },
    );
    for (let now = NOW; now < NOW + 100; now++) {
      expect(newId('req', now) < newId('req', now + 1)).toBe(true);
    }
  });

  it('the first id of a time is not after any id of that time, and after all earlier ones', () => {
    fc.assert(
      fc.property(instants, instants, (from, now) => {
        expect(newId('req', now) >= firstIdAt('req', from)).toBe(now >= from);
      }),
    );
    expect(firstIdAt('req', -5)).toBe(firstIdAt('req', 0));
    expect(firstIdAt('req', 2 ** 60)).toBe(firstIdAt('req', 2 ** 48 - 1));
    expect(firstIdAt('req', NOW + 0.5)).toBe(firstIdAt('req', NOW + 1));
  });

  it('the time of an id is its own, whatever instants came before', () => {
    const time = (id: string): string => id.slice(4, 14);
    const expected = new Map([NOW, 0, NOW + 1].map((now) => [now, time(newId('req', now))]));
    expect(new Set(expected.values()).size).toBe(3);
    for (const now of [0, NOW, NOW, NOW + 1, 0, NOW]) expect(time(newId('req', now))).toBe(expected.get(now));
    expect(time(newId('req', 0))).toBe('0000000000');
    expect(time(newId('req', 33))).toBe('0000000011');
    expect(time(newId('req', 2 ** 48 - 1))).toBe('7zzzzzzzzz');
  });

  it('two hundred thousand ids of one instant are all different', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200_000; i++) seen.add(newId('req', NOW));
    expect(seen.size).toBe(200_000);
  });

  it('each of the 16 random characters takes all 32 values, about equally often', () => {
    const count = 32_000;
    for (const column of columns(count, () => newId('key', NOW).slice(14))) {
      expect(column.size).toBe(32);
      expect(chiSquared(column, count)).toBeLessThan(150);
    }
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 48])(
    'the instant %s makes no id, rather than a malformed one',
    (now) => {
      expect(() => newId('req', now)).toThrow(RangeError);
    },
  );

  it('text of any other form is not an id', () => {
    const id = newId('key', NOW);
    const body = id.slice(4);
    for (const text of [
      '',
      'key_',
      body,
      `req_${body}`,
      `KEY_${body}`,
      `key_${body.toUpperCase()}`,
      `key-${body}`,
      `key_${body}0`,
      `key_${body.slice(1)}`,
      `key_${body.slice(1)}u`,
      `key_${body.slice(1)}l`,
      `key_${body.slice(1)}\u0000`,
      ` ${id}`,
      `${id} `,
      `${id}\n`,
      `x\n${id}`,
      `${id}/../x`,
    ]) {
      expect([text, isId('key', text)]).toEqual([text, false]);
    }
  });
});

describe('randomness', () => {
  it('base62 text has the length asked for and no character outside the alphabet', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), (length) => {
        const text = randomBase62(length);
        expect(text).toHaveLength(length);
        expect(text).toMatch(/^[0-9A-Za-z]*$/);
      }),
    );
  });

  it('every base62 character is about equally likely', () => {
    const count = 310_000;
    const [column] = columns(count, () => randomBase62(1));
    expect(column?.size).toBe(62);
    expect(chiSquared(column ?? new Map(), count)).toBeLessThan(220);
  });

  it('a fraction is at least 0 and below 1, and falls about equally in every hundredth', () => {
    const count = 200_000;
    const hundredths = new Map<string, number>();
    for (let i = 0; i < count; i++) {
      const fraction = randomFraction();
      if (!(fraction >= 0 && fraction < 1)) throw new Error(`outside [0, 1): ${fraction}`);
      const key = String(Math.floor(fraction * 100));
      hundredths.set(key, (hundredths.get(key) ?? 0) + 1);
    }
    expect(hundredths.size).toBe(100);
    expect(chiSquared(hundredths, count)).toBeLessThan(300);
  });
});

/** How often each character stood at each place. */
function columns(count: number, make: () => string): Array<Map<string, number>> {
  const result: Array<Map<string, number>> = [];
  for (let i = 0; i < count; i++) {
    for (const [place, character] of [...make()].entries()) {
      result[place] ??= new Map();
      const column = result[place];
      column.set(character, (column.get(character) ?? 0) + 1);
    }
  }
  return result;
}

/** An honest source exceeds the bounds used above in fewer than one run of 10¹². */
function chiSquared(observed: ReadonlyMap<string, number>, count: number): number {
  const expected = count / observed.size;
  let sum = 0;
  for (const times of observed.values()) sum += (times - expected) ** 2 / expected;
  return sum;
}
