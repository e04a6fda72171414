import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../kernel/durations.ts';
import { addTo, EMPTY_WINDOW, freeAt, minuteOf, sumOf, usedIn, windowAt } from './rate-window.ts';

const START = Date.UTC(2026, 10, 15, 3, 0, 0);

/** Sends calls with these gaps between them, and returns the times of those that were admitted. */
function admitted(cap: number, gapsMs: readonly number[]): number[] {
  let window = EMPTY_WINDOW;
  let now = START;
  const times: number[] = [];
  for (const gap of gapsMs) {
    now += gap;
    if (usedIn(window, now) >= cap) continue;
    window = addTo(window, 1, now);
    times.push(now);
  }
  return times;
}

const caps = fc.integer({ min: 1, max: 40 });
/** Bursts and pauses, including gaps that end exactly at the start of a minute. */
const gaps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 50 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(29_999, 30_000, 59_999, 60_000, 60_001, 120_000) },
  ),
  { maxLength: 400 },
);
const windows = fc.record({
  minute: fc.constantFrom(minuteOf(START) - 2, minuteOf(START) - 1, minuteOf(START)),
  previous: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3_000_000 })),
  current: fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 3_000_000 })),
});
const anyCaps = fc.oneof(caps, fc.integer({ min: 1, max: 2_000_000 }));
const moments = fc.integer({ min: START, max: START + MINUTE_MS - 1 });

describe('the window', () => {
  test('never admits more than the cap, in the window or in a calendar minute', () => {
    fc.assert(
      fc.property(caps, gaps, (cap, gapsMs) => {
        let window = EMPTY_WINDOW;
        const byMinute = new Map<number, number>();
        for (const at of admitted(cap, gapsMs)) {
          window = addTo(window, 1, at);
          expect(usedIn(window, at)).toBeLessThanOrEqual(cap);
          byMinute.set(minuteOf(at), (byMinute.get(minuteOf(at)) ?? 0) + 1);
        }
        for (const count of byMinute.values()) expect(count).toBeLessThanOrEqual(cap);
      }),
    );
  });

  test('allows no double burst: in any s seconds at most cap × (1 + s / 60), plus half a call', () => {
    fc.assert(
      fc.property(caps, gaps, (cap, gapsMs) => {
        const times = admitted(cap, gapsMs);
        for (let from = 0; from < times.length; from++) {
          for (let to = from; to < times.length; to++) {
            const spanMs = (times[to] as number) - (times[from] as number);
            if (spanMs >= MINUTE_MS) break;
            expect(to - from + 1).toBeLessThanOrEqual(cap * (1 + spanMs / MINUTE_MS) + 0.5);
          }
        }
      }),
    );
  });

  test.each([1, 2, 7, 60])(
    'with a cap of %i, a burst at the end of a minute leaves no room at the start of the next',
    (cap) => {
      const window = addTo(EMPTY_WINDOW, cap, START - 1);
      expect(usedIn(window, START + 1)).toBe(cap);
    },
  );

  test('admits the whole cap in every minute for a caller that never stops sending', () => {
    for (const cap of [1, 2, 3, 60, 100]) {
      const times = admitted(cap, new Array(10 * 6_000).fill(10));
      const last = times.filter((at) => at >= START + 9 * MINUTE_MS);
      expect(last.length, `cap ${cap}`).toBe(cap);
    }
  });

  test('has room at the time it reports, and not a millisecond earlier', () => {
    fc.assert(
      fc.property(windows, moments, anyCaps, (window, now, cap) => {
        const at = freeAt(window, cap, now);
        expect(usedIn(window, at)).toBeLessThan(cap);
        if (at > now) expect(usedIn(window, at - 1)).toBeGreaterThanOrEqual(cap);
        expect(at - now).toBeLessThanOrEqual(2 * MINUTE_MS);
      }),
    );
  });

  test('the sum of two windows equals one window that counted both', () => {
    fc.assert(
      fc.property(caps, gaps, fc.infiniteStream(fc.boolean()), (_, gapsMs, mine) => {
        let [one, other, both] = [EMPTY_WINDOW, EMPTY_WINDOW, EMPTY_WINDOW];
        let now = START;
        for (const gap of gapsMs) {
          now += gap;
          both = addTo(both, 1, now);
          if (mine.next().value) one = addTo(one, 1, now);
          else other = addTo(other, 1, now);
        }
        expect(usedIn(sumOf(one, other, now), now)).toBe(usedIn(both, now));
      }),
    );
  });

  test('a clock that goes back changes nothing', () => {
    const window = addTo(addTo(EMPTY_WINDOW, 5, START - 1), 7, START);
    expect(windowAt(window, START - 30_000)).toEqual(window);
    expect(usedIn(window, START - 30_000)).toBe(12);
  });
});
