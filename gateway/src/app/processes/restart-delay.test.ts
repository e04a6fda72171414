import { expect, test } from 'vitest';
import { RestartDelay } from './restart-delay.ts';

test('the delay doubles from 1 s to 30 s, and starts over after a minute of health', () => {
  const delay = new RestartDelay();
  const crashes = Array.from({ length: 7 }, () => delay.after(500));
  expect(crashes).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(delay.after(59_999)).toBe(30_000);
  expect(delay.after(60_000)).toBe(1_000);
  expect(delay.after(0)).toBe(2_000);
});
