import { describe, expect, test } from 'vitest';
import { type AttributionValues, attributionOf } from './attribution.ts';
import { SpaceValues } from './space-values.ts';

const bounds = { tagKeysMax: 2, tagValuesMax: 3, endUsersMax: 4, setsMax: 8 };

function keeper(of = bounds) {
  const space = new SpaceValues(of);
  return { space, keep: (values: AttributionValues) => space.keep(attributionOf(values)).values };
}

describe('the values of a space', () => {
  test('are kept up to the bound of their dimension, and those that were used before beyond it', () => {
    const { keep } = keeper();
    for (const team of ['a', 'b', 'c']) expect(keep({ 'tag:team': team })).toEqual({ 'tag:team': team });
    expect(keep({ 'tag:team': 'd' })).toEqual({ 'tag:team': null });
    expect(keep({ 'tag:team': 'a', end_user: 'kim' })).toEqual({ 'tag:team': 'a', end_user: 'kim' });
  });

  test('of a key too many are other in every key, because nobody knows which', () => {
    const { keep } = keeper();
    keep({ 'tag:a': '1', 'tag:b': '1', end_user: 'kim', session: 's' });
    expect(keep({ 'tag:a': '1', 'tag:c': '1' })).toEqual({ 'tag:a': '1', 'tag:*': null });
  });

  test('become other in the order session, end user, tags when there are too many combinations', () => {
    const { keep } = keeper({ ...bounds, tagValuesMax: 100, endUsersMax: 100 });
    const made = Array.from({ length: 40 }, (_, i) =>
      keep({ 'tag:team': `t${i}`, end_user: `u${i}`, session: `s${i}` }),
    );
    const kept = made.map((values) => Object.values(values).filter((value) => value !== null).length);
    expect(kept.slice(0, 8)).toEqual(Array(8).fill(3));
    expect(kept).toEqual(kept.toSorted((a, b) => b - a));
    expect(made[8]).toEqual({ 'tag:team': 't8', end_user: 'u8', session: null });
    expect(made[10]).toEqual({ 'tag:team': 't10', end_user: null, session: null });
    expect(made.at(-1)).toEqual({ 'tag:*': null, end_user: null, session: null });
    // What was kept before stays.
    expect(keep({ 'tag:team': 't0', end_user: 'u0', session: 's0' })).toEqual(made[0]);
  });

  test('take no more memory however many are sent', () => {
    const { space, keep } = keeper({ tagKeysMax: 5, tagValuesMax: 10, endUsersMax: 20, setsMax: 50 });
    for (let i = 0; i < 20_000; i++)
      keep({ [`tag:k${i % 1_000}`]: `v${i}`, end_user: `u${i}`, session: `s${i}` });
    expect(space.size).toBeLessThan(5 * 10 + 2 * 20 + 2 * 50);
  });

  test('of other processes count too', () => {
    const { space, keep } = keeper();
    for (const team of ['a', 'b', 'c']) space.add(`id-${team}`, { 'tag:team': team });
    expect(keep({ 'tag:team': 'd' })).toEqual({ 'tag:team': null });
  });
});
