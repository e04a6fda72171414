import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logTimeOf } from '../kernel/log-time.ts';
import { BEHIND_WAIT_MS, Merger, type Now, WAIT_MS } from './merge.ts';
import type { LogLine } from './source.ts';

const START = Date.parse('2026-11-15T03:00:00Z');
const at = (ms: number): Now => ({ elapsedMs: ms, instant: START + ms });

function line(pod: string, ms: number, text = ''): LogLine {
  const source = { id: pod, pod, podUid: pod, container: 'app', restart: 0, ended: false };
  return { source, time: logTimeOf(START + ms), text, position: '' };
}

const texts = (lines: readonly LogLine[]): string[] => lines.map(({ text }) => text);

describe('merging', () => {
  test('sends the oldest line when every source has one', () => {
    const merger = new Merger();
    for (const pod of ['a', 'b']) merger.add(pod, { behind: false, now: at(0) });
    merger.push('a', [line('a', 30, 'a30'), line('a', 50, 'a50')], at(50));
    expect(merger.take(at(50))).toEqual([]);
    merger.push('b', [line('b', 20, 'b20'), line('b', 40, 'b40')], at(50));
    expect(texts(merger.take(at(50)))).toEqual(['b20', 'a30', 'b40']);
  });

  test('lets a line wait at most 200 ms for a silent source', () => {
    const merger = new Merger();
    for (const pod of ['a', 'b']) merger.add(pod, { behind: false, now: at(0) });
    // Its clock is an hour ahead, so only its arrival shows its age.
    merger.push('a', [line('a', 3_600_000, 'a')], at(100));
    expect(merger.take(at(100 + WAIT_MS - 1))).toEqual([]);
    expect(texts(merger.take(at(100 + WAIT_MS)))).toEqual(['a']);
  });

  test('lets past lines wait for a source that is still reading its past, but not forever', () => {
    const merger = new Merger();
    merger.add('a', { behind: true, now: at(0) });
    merger.add('b', { behind: true, now: at(0) });
    merger.push('a', [line('a', -60_000, 'a')], at(0));
    expect(merger.take(at(1_000))).toEqual([]);
    expect(texts(merger.take(at(BEHIND_WAIT_MS)))).toEqual(['a']);
    merger.push('a', [line('a', -50_000, 'a2')], at(BEHIND_WAIT_MS));
    merger.caughtUp('b');
    expect(texts(merger.take(at(BEHIND_WAIT_MS)))).toEqual(['a2']);
  });

  test('sends a late line at once', () => {
    const merger = new Merger();
    for (const pod of ['a', 'b']) merger.add(pod, { behind: false, now: at(0) });
    merger.push('a', [line('a', 1_000, 'a')], at(1_000));
    expect(texts(merger.take(at(2_000)))).toEqual(['a']);
    merger.push('b', [line('b', 900, 'late')], at(2_000));
    expect(texts(merger.take(at(2_000)))).toEqual(['late']);
  });

  test('does not wait for a source that ended, and still sends its lines', () => {
    const merger = new Merger();
    for (const pod of ['a', 'b']) merger.add(pod, { behind: false, now: at(0) });
    merger.push('a', [line('a', 10, 'a')], at(10));
    merger.end('a');
    merger.push('b', [line('b', 20, 'b')], at(10));
    merger.end('b');
    expect(texts(merger.take(at(10)))).toEqual(['a', 'b']);
    expect(merger.waiting).toBe(0);
  });

  test('sends every line once, in the order of its source, whatever the timestamps are', () => {
    const pushes = fc.array(
      fc.record({
        pod: fc.constantFrom('a', 'b', 'c'),
        times: fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 5 }),
        afterMs: fc.integer({ min: 0, max: 300 }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(pushes, (steps) => {
        const merger = new Merger();
        for (const pod of ['a', 'b', 'c']) merger.add(pod, { behind: false, now: at(0) });
        const sent: Record<string, string[]> = { a: [], b: [], c: [] };
        const out: LogLine[] = [];
        let now = 0;
        let n = 0;
        for (const { pod, times, afterMs } of steps) {
          const lines = times.map((ms) => line(pod, ms, String(n++)));
          sent[pod]?.push(...texts(lines));
          merger.push(pod, lines, at(now));
          now += afterMs;
          out.push(...merger.take(at(now), { max: 3 }));
        }
        out.push(...merger.take(at(now), { all: true }));
        for (const pod of ['a', 'b', 'c'])
          expect(texts(out.filter(({ source }) => source.pod === pod))).toEqual(sent[pod]);
        expect(merger.waiting).toBe(0);
      }),
    );
  });

  test('sends lines in order if each source is in order', () => {
    const times = fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 50 });
    fc.assert(
      fc.property(times, times, (a, b) => {
        const merger = new Merger();
        for (const [pod, all] of [
          ['a', a],
          ['b', b],
        ] as const) {
          merger.add(pod, { behind: true, now: at(0) });
          merger.push(
            pod,
            all.toSorted((x, y) => x - y).map((ms) => line(pod, ms)),
            at(0),
          );
          merger.end(pod);
        }
        const out = merger.take(at(0)).map(({ time }) => time);
        expect(out).toEqual(out.toSorted());
        expect(out).toHaveLength(a.length + b.length);
      }),
    );
  });
});
