import { describe, expect, test } from 'vitest';
import { logTimeOf } from '../kernel/log-time.ts';
import {
  chooseStoredPast,
  type FeedContents,
  findInBuffer,
  findRemovedSources,
  linesFrom,
} from './choose-past.ts';
import { FeedBuffer, lineEntry } from './feed-buffer.ts';
import type { LogRequest } from './log-request.ts';
import type { LogSource } from './source.ts';

const START = Date.parse('2026-11-15T03:00:00Z');
const source = (pod: string): LogSource => ({
  ...{ id: `${pod}/app/0`, pod, podUid: pod },
  ...{ container: 'app', restart: 0, ended: false },
});
const [a, b] = [source('a'), source('b')];

const request = (more: Partial<LogRequest> = {}): LogRequest => ({
  ...{ project: 'shop', follow: true, tailLines: null, sinceSeconds: null, podName: null, container: null },
  ...{ ids: true, heartbeatSeconds: null, after: null },
  ...more,
});

/** Lines a1, b2, a3, b4 and so on, one per second. `older`: the store has lines before these. */
function feedOf(count: number, { older = false } = {}): FeedContents {
  const buffer = new FeedBuffer();
  const ends = new Map<string, string | null>([
    [a.id, null],
    [b.id, null],
  ]);
  if (older) for (const { id } of [a, b]) buffer.noteOlderLines(id, 'old', logTimeOf(START));
  for (let n = 1; n <= count; n++) {
    const from = n % 2 === 1 ? a : b;
    buffer.add(
      lineEntry({ source: from, time: logTimeOf(START + n * 1000), text: `${n}`, position: `p${n}` }),
    );
    ends.set(from.id, `p${n}`);
  }
  return { buffer, sources: new Map([a, b].map((one) => [one.id, one])), ends };
}

const resumeAfter = (positions: Record<string, string>): LogRequest =>
  request({ after: new Map(Object.entries(positions)) });

describe('the past is taken from the buffer of the feed', () => {
  test('if nothing older exists', () => {
    expect(findInBuffer(request(), feedOf(4), null)?.seq).toBe(0);
    expect(findInBuffer(request({ tailLines: 9 }), feedOf(4), null)?.seq).toBe(0);
  });

  test('if it holds enough lines of the selected pods for the tail', () => {
    const feed = feedOf(6, { older: true });
    expect(findInBuffer(request({ tailLines: 4 }), feed, null)).toEqual({
      seq: 2,
      positions: new Map([
        [a.id, 'p1'],
        [b.id, 'p2'],
      ]),
      knownBefore: new Map(),
    });
    expect(findInBuffer(request({ tailLines: 3, podName: 'a' }), feed, null)?.seq).toBe(0);
    expect(findInBuffer(request({ tailLines: 0 }), feed, null)?.seq).toBe(6);
  });

  test('if every older line is before the requested time, with a second for lines out of order', () => {
    const feed = feedOf(4, { older: true });
    expect(findInBuffer(request(), feed, START + 1_001)?.seq).toBe(0);
    expect(findInBuffer(request(), feed, START + 1_000)).toBeNull();
  });

  test('if the client resumes after lines that it holds, and then those lines are skipped', () => {
    const found = findInBuffer(resumeAfter({ [a.id]: 'p3', [b.id]: 'p2' }), feedOf(6, { older: true }), null);
    expect(found?.seq).toBe(0);
    expect(found?.knownBefore).toEqual(
      new Map([
        [a.id, 3],
        [b.id, 2],
      ]),
    );
    expect(found?.positions).toEqual(
      new Map([
        [a.id, 'p3'],
        [b.id, 'p2'],
      ]),
    );
  });

  test('if the client resumes where the evicted lines end, or at the end of a source without lines', () => {
    const feed = feedOf(1, { older: true });
    const quiet = { ...feed, ends: new Map([...feed.ends, [b.id, 'q9']]) };
    expect(findInBuffer(resumeAfter({ [a.id]: 'old', [b.id]: 'q9' }), quiet, null)?.seq).toBe(0);
  });
});

describe('a source that no longer exists', () => {
  test('is resumed after the last line that the client has, as long as that is in the buffer', () => {
    const feed = { ...feedOf(6), sources: new Map([[b.id, b]]) };
    const resumed = resumeAfter({ [a.id]: 'p3', [b.id]: 'p6' });
    expect(findRemovedSources(resumed, feed)).toEqual(new Map([[a.id, 3]]));
    expect(findInBuffer(resumed, feed, null)?.knownBefore).toEqual(
      new Map([
        [b.id, 6],
        [a.id, 3],
      ]),
    );
    expect(linesFrom(new Map([[a.id, 3]]), feed.buffer).map(({ text }) => text)).toEqual(['5']);
    expect(findRemovedSources(resumeAfter({ [a.id]: 'evicted' }), feed)).toEqual(new Map());
  });
});

describe('the past is read from the store', () => {
  test.each([
    ['everything is requested', request()],
    ['the tail is longer than the buffer', request({ tailLines: 7 })],
    ['a position is older than the buffer', resumeAfter({ [a.id]: 'older', [b.id]: 'p2' })],
    ['the client knows one source only, and the other has older lines', resumeAfter({ [a.id]: 'p3' })],
  ])('if %s', (_, asked) => {
    expect(findInBuffer(asked, feedOf(6, { older: true }), null)).toBeNull();
  });

  const ends = [
    { source: a, until: 'p5' },
    { source: b, until: 'p6' },
  ];

  test('between the position of the client and the position of the feed, without sources at their end', () => {
    const past = chooseStoredPast(resumeAfter({ [a.id]: 'p1', [b.id]: 'p6' }), ends, null);
    expect(past).toMatchObject({
      kind: 'ranges',
      ranges: [{ source: a, until: 'p5', from: { kind: 'after', position: 'p1' } }],
    });
  });

  test('from the first line or from a time if the client has no position', () => {
    const kinds = (since: number | null) => {
      const past = chooseStoredPast(request(), ends, since);
      return past.kind === 'ranges' ? past.ranges.map(({ from }) => from) : [];
    };
    expect(kinds(null)).toEqual([{ kind: 'start' }, { kind: 'start' }]);
    const time = logTimeOf(START);
    expect(kinds(START)).toEqual([
      { kind: 'since', time },
      { kind: 'since', time },
    ]);
  });
});
