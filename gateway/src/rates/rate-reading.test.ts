import { describe, expect, test } from 'vitest';
import { printDuration, type RateReading, rateHeaders, rateProblem } from './rate-reading.ts';
import { minuteOf } from './rate-window.ts';

const NOW = Date.UTC(2026, 10, 15, 3, 0, 15);

function reading(of: Partial<RateReading> & { current: number; previous?: number }): RateReading {
  const { current, previous = 0, ...rest } = of;
  return {
    whose: 'key',
    kind: 'requests',
    cap: 10,
    window: { minute: minuteOf(NOW), previous, current },
    ...rest,
  };
}

describe('the answer to a caller', () => {
  test.each([
    [0, '0s'],
    [1, '1ms'],
    [350, '350ms'],
    [1_000, '1s'],
    [1_250, '1.25s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [90_500, '1m30.5s'],
    [360_000, '6m0s'],
  ])('%i ms is written %s', (durationMs, text) => {
    expect(printDuration(durationMs)).toBe(text);
  });

  test('the reset header is the time until the limit is free again: some of it when it is reached, all of it otherwise', () => {
    expect(rateHeaders([reading({ current: 1, cap: 2 })], NOW)).toEqual({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '1',
      // One call weighs less than half from the middle of the next minute on.
      'x-ratelimit-reset-requests': '1m15.001s',
    });
    expect(rateHeaders([reading({ current: 0, previous: 4, cap: 3 })], NOW)).toEqual({
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '7.501s',
    });
  });

  test('when several limits are reached, the error names the one that resets last, and when', () => {
    const problem = rateProblem(
      [
        reading({ current: 0, previous: 13 }),
        reading({ whose: 'space', kind: 'tokens', cap: 100, current: 250 }),
        reading({ whose: 'space', current: 3 }),
      ],
      NOW,
    );
    // 36 seconds into the next minute 250 tokens weigh less than 99.5.
    const resetsAt = NOW + 45_000 + 36_121;
    expect(problem?.detail).toBe(
      'The rate limit of this space is reached: 250 of 100 tokens per minute are used. ' +
        'Try again in 1m21.121s, at 2026-11-15T03:01:36.121Z.',
    );
    expect(problem?.retryAfterMs).toBe(resetsAt - NOW);
    expect(problem?.facts).toEqual({
      limit: 'space_tokens_per_minute',
      used: 250,
      cap: 100,
      resets_at: '2026-11-15T03:01:36.121Z',
    });
    expect(problem?.headers).toMatchObject({
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-remaining-tokens': '0',
    });
  });

  test('a limit that is not reached gives no error', () => {
    expect(rateProblem([reading({ current: 9 }), reading({ kind: 'tokens', current: 9 })], NOW)).toBeNull();
    expect(rateProblem([], NOW)).toBeNull();
  });
});
