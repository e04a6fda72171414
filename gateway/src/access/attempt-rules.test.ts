import { describe, expect, test } from 'vitest';
import { type AttemptLimits, countAttempt, type Tally } from './attempt-rules.ts';

const limits: AttemptLimits = { perMinute: 5, perHour: 20 };
const fresh: Tally = { minuteFrom: 0, minuteCount: 0, hourFrom: 0, hourCount: 0 };
const MINUTE = 60_000;

/** The outcome of attempts at these times: counted, or the wait in seconds. */
function attempts(times: readonly number[]): Array<'ok' | number> {
  let tally = fresh;
  return times.map((now) => {
    const outcome = countAttempt(tally, limits, now);
    if ('waitMs' in outcome) return outcome.waitMs / 1000;
    tally = outcome.tally;
    return 'ok';
  });
}

describe('attempts to sign in', () => {
  test('may fail five times in a minute, then wait until it is over', () => {
    expect(attempts([0, 1000, 2000, 3000, 4000, 5000, 59_000, 60_000])).toEqual([
      ...Array(5).fill('ok'),
      55,
      1,
      'ok',
    ]);
  });

  test('may fail twenty times in an hour, however they are distributed', () => {
    const times = Array.from({ length: 24 }, (_, i) => i * 2 * MINUTE);
    const became = attempts([...times, 60 * MINUTE]);
    expect(became.filter((one) => one === 'ok')).toHaveLength(21);
    expect(became.slice(20, 24)).toEqual([1200, 1080, 960, 840]);
    expect(became.at(-1)).toBe('ok');
  });

  test('that are rejected do not make the wait longer', () => {
    const impatient = Array.from({ length: 100 }, (_, i) => 10_000 + i);
    const became = attempts([0, 0, 0, 0, 0, ...impatient, MINUTE]);
    expect(became.at(-1)).toBe('ok');
  });

  test('that waited for the row count together with later ones', () => {
    expect(attempts([500, 400, 600, 300, 0, 100])).toEqual([...Array(5).fill('ok'), 60.4]);
  });

  test('from before a clock was set back are forgotten', () => {
    const ahead = { minuteFrom: 9e9, minuteCount: 5, hourFrom: 9e9, hourCount: 20 };
    expect(countAttempt(ahead, limits, 1000)).toHaveProperty('tally.hourCount', 1);
  });
});
