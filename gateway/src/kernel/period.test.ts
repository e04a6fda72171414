import { describe, expect, it } from 'vitest';
import { boundsOf, printWindowEnd, windowOf } from './period.ts';
import { kstOf } from './time.ts';

const at = (text: string) => Date.parse(text);

describe('windows', () => {
  it('are named by the day, the Monday and the month in KST', () => {
    // Half past midnight on Monday the 16th in KST, which is Sunday in UTC.
    const monday = at('2026-11-15T15:30:00Z');
    expect(windowOf('day', monday)).toBe('2026-11-16');
    expect(windowOf('week', monday)).toBe('2026-11-16');
    expect(windowOf('month', monday)).toBe('2026-11');
    expect(windowOf('lifetime', monday)).toBe('');
  });

  it('keep a week together over its seven days, also over the end of a year', () => {
    const starts = [-1, 0, 1, 2, 3, 4, 5, 6, 7].map((day) =>
      windowOf('week', at('2026-12-28T00:00:00+09:00') + day * 86_400_000),
    );
    expect(starts).toEqual(['2026-12-21', ...Array(7).fill('2026-12-28'), '2027-01-04']);
  });

  it('end where the next one begins', () => {
    for (const period of ['day', 'week', 'month'] as const) {
      const name = windowOf(period, at('2026-02-27T03:00:00Z'));
      const { until } = boundsOf(period, name);
      expect(windowOf(period, (until ?? 0) - 1)).toBe(name);
      const next = windowOf(period, until ?? 0);
      expect(next).not.toBe(name);
      expect(boundsOf(period, next).from).toBe(until);
      expect(printWindowEnd(period, name)).toBe(kstOf(until ?? 0));
    }
    expect(printWindowEnd('lifetime', '')).toBeNull();
  });
});
