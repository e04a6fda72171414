/** The leak check of `npm run soak`. */
import { expect, test } from 'vitest';
import { growthOf } from '../../bench/soak/growth.ts';

const bound = { least: 10, part: 0.1 };
/** Up and down by 8, as a heap between two collections. */
const noisy = (at: (index: number) => number): number[] =>
  Array.from({ length: 24 }, (_, index) => at(index) + (index % 2) * 8);

test('a figure that is steady after the warm-up does not grow, however noisy it is', () => {
  expect(
    growthOf(
      noisy(() => 60),
      bound,
    ),
  ).toMatchObject({ grows: false, riseMax: 10 });
  expect(
    growthOf(
      noisy((index) => Math.min(60, index * 10)),
      bound,
    ).grows,
  ).toBe(false);
  expect(
    growthOf(
      noisy((index) => 300 - index),
      bound,
    ),
  ).toMatchObject({ grows: false });
});

test('a figure that keeps rising grows, by what its line rises after the warm-up', () => {
  const growth = growthOf(
    Array.from({ length: 24 }, (_, index) => 100 + index),
    bound,
  );
  expect(growth).toMatchObject({ median: 116, rise: 15, grows: true });
  expect(
    growthOf(
      noisy((index) => 60 + index),
      bound,
    ).grows,
  ).toBe(true);
});
