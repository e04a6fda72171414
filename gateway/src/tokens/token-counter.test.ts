import { expect, test } from 'vitest';
import { TestClock } from '../../test/support/test-clock.ts';
import { TokenCounter } from './token-counter.ts';

test('the worker thread ends when idle and starts again on demand', async () => {
  const clock = new TestClock();
  const tokens = new TokenCounter(clock);
  expect(tokens.active).toBe(false);
  const first = await tokens.count(['How many tokens are these?']);
  expect(first).toBeGreaterThan(3);
  expect(tokens.active).toBe(true);
  clock.pass(29_000);
  expect(await tokens.count(['How many tokens are these?'])).toBe(first);
  clock.pass(29_000);
  expect(tokens.active).toBe(true);
  clock.pass(1_000);
  expect(tokens.active).toBe(false);
  expect(await tokens.count(['How many tokens are these?'])).toBe(first);
  await tokens.stop();
});
