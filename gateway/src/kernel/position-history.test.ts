/** Resuming a log without ids, requested again from a whole second. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashText } from './hash-text.ts';
import { type LogTime, logTimeOf, secondOf } from './log-time.ts';
import { PositionHistory, ReplayMatcher } from './position-history.ts';

interface Line {
  readonly n: number;
  readonly time: LogTime;
  readonly text: string;
}

const START = Date.parse('2026-11-15T03:00:00Z');

/** Many lines with one timestamp, repeated texts, and lines up to 900 ms out of order. */
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

function historyOf(lines: readonly Line[]): PositionHistory {
  const history = new PositionHistory();
  for (const line of lines) history.add(line.time, hashOf(line));
  return history;
}

/** The log from a second on. */
const since = (log: readonly Line[], second: number): Line[] =>
  log.filter(({ time }) => secondOf(time) >= second);

function resume(received: readonly Line[], replay: (second: number) => Line[], withLines: boolean) {
  const history = historyOf(received);
  const position = history.position();
  if (position === null) return { lines: replay(0), gap: false };
  const matcher = new ReplayMatcher<Line>(position, withLines ? history.recentLines() : null);
  const fresh: Line[] = [];
  for (const line of replay(position.since)) {
    if (matcher.found) fresh.push(line);
    else matcher.push(line, line.time, hashOf(line));
  }
  return matcher.found ? { lines: fresh, gap: false } : matcher.settle();
}

describe('resuming a log without ids', () => {
  test.each([true, false])(
    'loses and repeats no line, wherever it was interrupted (recent lines kept: %s)',
    (withLines) => {
      fc.assert(
        fc.property(nastyLog, fc.nat(), (log, at) => {
          const cut = at % (log.length + 1);
          const resumed = resume(log.slice(0, cut), (second) => since(log, second), withLines);
          expect(resumed.gap).toBe(false);
          expect(resumed.lines.map(({ n }) => n)).toEqual(log.slice(cut).map(({ n }) => n));
        }),
        { numRuns: 2_000 },
      );
    },
  );

  test('continues after the last received line if reading started in the middle', () => {
    const log = [0, 1, 2, 3, 4, 5].map((n): Line => ({ n, time: logTimeOf(START), text: `line ${n}` }));
    expect(resume(log.slice(2, 4), (second) => since(log, second), true)).toEqual({
      lines: log.slice(4),
      gap: false,
    });
  });

  test('continues after the last known line if older lines are gone', () => {
    fc.assert(
      fc.property(nastyLog, fc.nat(), fc.nat(), (log, at, lost) => {
        const cut = at % (log.length + 1);
        const from = lost % (cut + 1);
        const known = new Map<string, number>();
        // Two equal lines cannot be distinguished.
        for (const { time, text } of log) known.set(time + text, (known.get(time + text) ?? 0) + 1);
        if ([...known.values()].some((count) => count > 1)) return;
        const resumed = resume(log.slice(0, cut), (second) => since(log.slice(from), second), true);
        expect(resumed.lines.map(({ n }) => n)).toEqual(log.slice(cut).map(({ n }) => n));
        // If every known line is gone, others may be gone too.
        if (cut > 0 && from === cut) expect(resumed.gap).toBe(true);
        if (cut > 0 && from < cut) expect(resumed.gap).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('ignores lines before the requested second and small differences in order', () => {
    const at = (ms: number): LogTime => logTimeOf(START + ms);
    const line = (n: number, ms: number): Line => ({ n, time: at(ms), text: 'tick' });
    const received = [line(0, 900), line(1, 1_010), line(2, 990), line(3, 2_100)];
    const replayed = [line(0, 900), line(3, 2_100), line(2, 990), line(1, 1_010), line(4, 2_200)];
    expect(resume(received, () => replayed, true).lines.map(({ n }) => n)).toEqual([4]);
  });

  test('returns the whole log with a gap if it is a different log', () => {
    const old = [{ n: 0, time: logTimeOf(START), text: 'old' }];
    const other = [1, 2].map((n): Line => ({ n, time: logTimeOf(START + n), text: 'new' }));
    for (const withLines of [true, false])
      expect(resume(old, (second) => since(other, second), withLines)).toEqual({ lines: other, gap: true });
  });
});
