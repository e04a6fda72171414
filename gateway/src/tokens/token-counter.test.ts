import { expect, test } from 'vitest';
import { TestClock } from '../../test/support/test-clock.ts';
import { Cancellation } from '../kernel/cancellation.ts';
import { estimateTokens } from '../kernel/rough-tokens.ts';
import { COUNT_MS_MAX, LANE_CHARACTERS_MAX, START_MS_MAX, TokenCounter } from './token-counter.ts';

const lane = 'space';
/** Takes about a second. */
const long = 'qwzrtpsdf'.repeat(100_000);

test('the worker thread ends when idle and starts again on demand', async () => {
  const clock = new TestClock();
  const tokens = new TokenCounter(clock);
  expect(tokens.active).toBe(false);
  const first = await tokens.count(['How many tokens are these?'], { lane });
  expect(first).toBeGreaterThan(3);
  expect(tokens.active).toBe(true);
  clock.pass(29_000);
  expect(await tokens.count(['How many tokens are these?'], { lane })).toBe(first);
  clock.pass(29_000);
  expect(tokens.active).toBe(true);
  clock.pass(1_000);
  expect(tokens.active).toBe(false);
  expect(await tokens.count(['How many tokens are these?'], { lane })).toBe(first);
  await tokens.stop();
});

test('a count ends with its deadline, with its caller and with the counter, and then has an estimate', async () => {
  const clock = new TestClock();
  const tokens = new TokenCounter(clock);
  await tokens.count(['one two'], { lane });
  const late = tokens.count([long], { lane });
  const estimated = tokens.countOrEstimate([long], { lane });
  clock.pass(COUNT_MS_MAX);
  expect(await late).toBeNull();
  expect(await estimated).toBe(estimateTokens([long]));

  const cancellation = new Cancellation();
  const left = tokens.count([long], { lane, cancellation });
  cancellation.cancel();
  expect(await left).toBeNull();
  expect(await tokens.count([long], { lane, cancellation })).toBeNull();
  // What was given up does not hold up what comes after it.
  expect(await tokens.count(['one two'], { lane })).toBe(2);

  const stopped = tokens.count([long], { lane });
  await tokens.stop();
  expect(await stopped).toBeNull();
});

test('the start of the thread is no part of the time of a count, and has a limit of its own', async () => {
  const clock = new TestClock();
  const tokens = new TokenCounter(clock);
  const slow = tokens.count(['one two'], { lane });
  clock.pass(START_MS_MAX - 1);
  expect(await slow).toBe(2);
  await tokens.stop();
  const never = tokens.count(['one two'], { lane });
  clock.pass(START_MS_MAX);
  expect(await never).toBeNull();
  await tokens.stop();
});

test('a short count of another lane does not wait for a long one', async () => {
  const tokens = new TokenCounter(new TestClock());
  const done: string[] = [];
  const slow = tokens.count([long], { lane: 'noisy' }).then(() => done.push('slow'));
  const others = ['a', 'b', 'c'].map((other) =>
    tokens.count(['one two three'], { lane: other }).then(() => done.push(other)),
  );
  await Promise.all([slow, ...others]);
  expect(done).toEqual(['a', 'b', 'c', 'slow']);
  await tokens.stop();
});

test('what waits in a lane is limited, and other lanes are not affected', async () => {
  const tokens = new TokenCounter(new TestClock());
  const cancellation = new Cancellation();
  const full = tokens.count(['x'.repeat(LANE_CHARACTERS_MAX)], { lane, cancellation });
  expect(await tokens.count(['one two'], { lane })).toBeNull();
  expect(await tokens.count(['one two'], { lane: 'other' })).toBe(2);
  cancellation.cancel();
  expect(await full).toBeNull();
  expect(await tokens.count(['one two'], { lane })).toBe(2);
  await tokens.stop();
});

test('an estimate takes four Latin characters, or one of another script, for a token', () => {
  expect(estimateTokens(['abcd', 'abcde', '漢字', ''])).toBe(1 + 2 + 2);
  expect(estimateTokens(['x'.repeat(1_000_000)])).toBe(250_000);
});
