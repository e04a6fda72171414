import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { logTimeOf } from '../kernel/log-time.ts';
import { systemClock } from '../kernel/time.ts';
import { FeedBuffer, type FeedPlace, lineEntry } from './feed-buffer.ts';
import { type FeedContents, findInBuffer, findRemovedSources, linesFrom } from './find-in-buffer.ts';
import { type LogRequest, wantedPast } from './log-request.ts';
import { openPast } from './read-past.ts';
import type { LogSource, LogStore, SourceReadOptions } from './source.ts';

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
  if (older)
    for (const one of [a, b])
      buffer.noteOlderLine({ source: one, time: logTimeOf(START), text: '', position: 'old' });
  for (let n = 1; n <= count; n++) {
    const from = n % 2 === 1 ? a : b;
    buffer.add(
      lineEntry({ source: from, time: logTimeOf(START + n * 1000), text: `${n}`, position: `p${n}` }),
    );
  }
  return { buffer, sources: new Map([a, b].map((one) => [one.id, one])) };
}

/** `since`: what the request wants lines from. */
const find = (asked: LogRequest, feed: FeedContents, since: number | null): FeedPlace | null =>
  findInBuffer(asked, wantedSince(asked, since), feed);
const wantedSince = (asked: LogRequest, since: number | null) =>
  since === null ? wantedPast(asked, START) : wantedPast({ ...asked, sinceSeconds: 0 }, since);

const resumeAfter = (positions: Record<string, string>): LogRequest =>
  request({ after: new Map(Object.entries(positions)) });

describe('the past is taken from the buffer of the feed', () => {
  test('if nothing older exists', () => {
    expect(find(request(), feedOf(4), null)?.seq).toBe(0);
    expect(find(request({ tailLines: 9 }), feedOf(4), null)?.seq).toBe(0);
  });

  test('if it holds enough lines of the selected pods for the tail', () => {
    const feed = feedOf(6, { older: true });
    expect(find(request({ tailLines: 4 }), feed, null)).toEqual({
      seq: 2,
      positions: new Map([
        [a.id, 'p1'],
        [b.id, 'p2'],
      ]),
      starts: new Map(),
    });
    expect(find(request({ tailLines: 3, podName: 'a' }), feed, null)?.seq).toBe(0);
    expect(find(request({ tailLines: 0 }), feed, null)?.seq).toBe(6);
  });

  test('if every older line is before the requested time, with a second for lines out of order', () => {
    const feed = feedOf(4, { older: true });
    expect(find(request(), feed, START + 1_001)?.seq).toBe(0);
    expect(find(request(), feed, START + 1_000)).toBeNull();
  });

  test('if the client resumes after lines that it holds, and then those lines are skipped', () => {
    const found = find(resumeAfter({ [a.id]: 'p3', [b.id]: 'p2' }), feedOf(6, { older: true }), null);
    expect(found?.seq).toBe(0);
    expect(found?.starts).toEqual(
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
    feed.buffer.noteOlderLine({ source: b, time: logTimeOf(START), text: '', position: 'q9' });
    expect(find(resumeAfter({ [a.id]: 'old', [b.id]: 'q9' }), feed, null)?.seq).toBe(0);
  });
});

describe('a source that no longer exists', () => {
  test('is resumed after the last line that the client has, as long as that is in the buffer', () => {
    const feed = { ...feedOf(6), sources: new Map([[b.id, b]]) };
    const resumed = resumeAfter({ [a.id]: 'p3', [b.id]: 'p6' });
    expect(findRemovedSources(resumed, feed)).toEqual(new Map([[a.id, 3]]));
    expect(find(resumed, feed, null)?.starts).toEqual(
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
    expect(find(asked, feedOf(6, { older: true }), null)).toBeNull();
  });

  const ends = [
    { source: a, until: 'p5' },
    { source: b, until: 'p6' },
  ];

  /** What is read of the sources. */
  async function readsOf(asked: LogRequest, since: number | null = null) {
    const reads: Array<SourceReadOptions & { source: LogSource }> = [];
    const store: LogStore = {
      discover: () => Readable.from([]),
      read: (source, options) => {
        reads.push({ source, ...options });
        return Readable.from([]);
      },
      knows: () => true,
      close: () => Promise.resolve(),
    };
    const tools = { store, clock: systemClock };
    const { batches } = await openPast(wantedSince(asked, since), ends, tools, new AbortController().signal);
    for await (const { lines } of batches) expect(lines).toEqual([]);
    return reads;
  }

  test('between the position of the client and the position of the feed, without sources at their end', async () => {
    expect(await readsOf(resumeAfter({ [a.id]: 'p1', [b.id]: 'p6' }))).toEqual([
      { source: a, until: 'p5', from: { kind: 'after', position: 'p1' }, follow: false },
    ]);
  });

  test('from the first line or from a time if the client has no position', async () => {
    const starts = async (since: number | null) => (await readsOf(request(), since)).map(({ from }) => from);
    expect(await starts(null)).toEqual([{ kind: 'start' }, { kind: 'start' }]);
    const time = logTimeOf(START);
    expect(await starts(START)).toEqual([
      { kind: 'since', time },
      { kind: 'since', time },
    ]);
  });
});
