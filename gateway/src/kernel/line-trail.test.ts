/** The alignment rule: lines without numbers, asked for again from a whole second. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from './hash-text.ts';
import { LineTrail, TrailFinder } from './line-trail.ts';
import { type LogTime, logTimeOf, secondOf } from './log-time.ts';

interface Line {
  readonly n: number;
  readonly time: LogTime;
  readonly text: string;
}

const START = Date.parse('2026-11-15T03:00:00Z');

/** Bursts of one time, texts that repeat, and lines up to 900 ms out of order. */
const nastyLog = fc
  .array(
    fc.record({
      stepMs: fc.oneof(
        { weight: 6, arbitrary: fc.constant(0) },
        { weight: 2, arbitrary: fc.integer({ min: 1, max: 1500 }) },
      ),
      lateMs: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 900 }) },
      ),
      text: fc.constantFrom('tick', 'tock', 'tick tock'),
    }),
    { minLength: 1, maxLength: 120 },
  )
  .map((steps) => {
    let now = START;
    return steps.map(({ stepMs, lateMs, text }, n): Line => {
      now += stepMs;
      return { n, time: logTimeOf(now - lateMs), text };
    });
  });

const hashOf = (line: Line): number => hashText(`${line.time} ${line.text}`);

function trailOf(lines: readonly Line[]): LineTrail {
  const trail = new LineTrail();
  for (const line of lines) trail.add(line.time, hashOf(line));
  return trail;
}

/** What the log answers when it is asked from a second on. */
const since = (log: readonly Line[], second: number): Line[] =>
  log.filter(({ time }) => secondOf(time) >= second);

function resume(received: readonly Line[], replay: (second: number) => Line[], withBlock: boolean) {
  const trail = trailOf(received);
  const place = trail.place();
  if (place === null) return { lines: replay(0), gap: false };
  const finder = new TrailFinder<Line>(place, withBlock ? trail.block() : null);
  const fresh: Line[] = [];
  for (const line of replay(place.since)) {
    if (finder.found) fresh.push(line);
    else finder.push(line, line.time, hashOf(line));
  }
  return finder.found ? { lines: fresh, gap: false } : finder.settle();
}

describe('going on in a log without numbers', () => {
  test.each([true, false])(
    'no line is lost and none repeated, wherever it was cut (block kept: %s)',
    (withBlock) => {
      fc.assert(
        fc.property(nastyLog, fc.nat(), (log, at) => {
          const cut = at % (log.length + 1);
          const resumed = resume(log.slice(0, cut), (second) => since(log, second), withBlock);
          expect(resumed.gap).toBe(false);
          expect(resumed.lines.map(({ n }) => n)).toEqual(log.slice(cut).map(({ n }) => n));
        }),
        { numRuns: 2_000 },
      );
    },
  );

  test('what was begun in the middle goes on there, unless it cannot be told apart', () => {
    const log = [0, 1, 2, 3, 4, 5].map((n): Line => ({ n, time: logTimeOf(START), text: `line ${n}` }));
    expect(resume(log.slice(2, 4), (second) => since(log, second), true)).toEqual({
      lines: log.slice(4),
      gap: false,
    });
  });

  test('a log that lost its beginning is taken up where its last known line is', () => {
    fc.assert(
      fc.property(nastyLog, fc.nat(), fc.nat(), (log, at, lost) => {
        const cut = at % (log.length + 1);
        const from = lost % (cut + 1);
        const known = new Map<string, number>();
        // Only what can be told apart can be found again.
        for (const { time, text } of log) known.set(time + text, (known.get(time + text) ?? 0) + 1);
        if ([...known.values()].some((count) => count > 1)) return;
        const resumed = resume(log.slice(0, cut), (second) => since(log.slice(from), second), true);
        expect(resumed.lines.map(({ n }) => n)).toEqual(log.slice(cut).map(({ n }) => n));
        // All that was known being gone, nobody knows what else is.
        if (cut > 0 && from === cut) expect(resumed.gap).toBe(true);
        if (cut > 0 && from < cut) expect(resumed.gap).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('more than was asked for changes nothing, also where the order is not quite the same', () => {
    const at = (ms: number): LogTime => logTimeOf(START + ms);
    const line = (n: number, ms: number): Line => ({ n, time: at(ms), text: 'tick' });
    const received = [line(0, 900), line(1, 1_010), line(2, 990), line(3, 2_100)];
    const replayed = [line(0, 900), line(3, 2_100), line(2, 990), line(1, 1_010), line(4, 2_200)];
    expect(resume(received, () => replayed, true).lines.map(({ n }) => n)).toEqual([4]);
  });

  test('a log that is another one is given in whole, with a gap', () => {
    const old = [{ n: 0, time: logTimeOf(START), text: 'old' }];
    const other = [1, 2].map((n): Line => ({ n, time: logTimeOf(START + n), text: 'new' }));
    for (const withBlock of [true, false])
      expect(resume(old, (second) => since(other, second), withBlock)).toEqual({ lines: other, gap: true });
  });
});
