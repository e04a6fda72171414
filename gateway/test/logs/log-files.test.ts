/** Logs in files: rotation, restarts, lines in parts, tails and positions. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time.ts';
import { FileStore } from '../../src/logs/files/file-store.ts';
import { readTail } from '../../src/logs/last-lines.ts';
import {
  CUT_MARK,
  LINE_BYTES_MAX,
  type LogLine,
  type LogSource,
  type ReadFrom,
} from '../../src/logs/source.ts';
import { makeLogRoot, PodFiles } from '../support/pod-files.ts';

let root: string;
let store: FileStore;
let stop: AbortController;
beforeEach(() => {
  root = makeLogRoot();
  store = new FileStore({ root, clock: systemClock });
  stop = new AbortController();
});
/** Readers that a test does not finish still have open files. */
let opened: Array<AsyncIterator<unknown>> = [];
afterEach(async () => {
  stop.abort();
  for (const reader of opened) await reader.return?.();
  opened = [];
  rmSync(root, { recursive: true });
});

async function sources(project = 'shop'): Promise<readonly LogSource[]> {
  for await (const found of store.discover(project, stop.signal)) return found;
  return [];
}

interface Seen {
  lines: LogLine[];
  gaps: string[];
}

async function read(
  from: ReadFrom = { kind: 'start' },
  options: { until?: string; source?: LogSource } = {},
): Promise<Seen> {
  const source = options.source ?? ((await sources())[0] as LogSource);
  const until = options.until === undefined ? {} : { until: options.until };
  const batches = store.read(source, { from, follow: false, ...until }, stop.signal);
  if (from.kind === 'tail') {
    const limit = { lines: from.lines, bytesMax: 1e9 };
    const { lines, gaps } = await readTail(batches[Symbol.asyncIterator](), limit);
    return { lines: [...lines], gaps: [...gaps] };
  }
  const seen: Seen = { lines: [], gaps: [] };
  for await (const batch of batches) {
    if (batch.gap !== null) seen.gaps.push(batch.gap);
    seen.lines.push(...batch.lines);
  }
  return seen;
}

const texts = (seen: Seen): string[] => seen.lines.map(({ text }) => text);
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i}`);
const tail = (lines: number): ReadFrom => ({ kind: 'tail', lines });
const from = ({ position }: { position: string } = { position: '' }): ReadFrom => ({
  kind: 'after',
  position,
});

/** Follows the first source; `next` resolves with its next line. */
async function follow(from: ReadFrom = { kind: 'start' }) {
  const source = (await sources())[0] as LogSource;
  const batches = store.read(source, { from, follow: true }, stop.signal)[Symbol.asyncIterator]();
  opened.push(batches);
  const waiting: LogLine[] = [];
  const gaps: string[] = [];
  const next = async (): Promise<string | null> => {
    while (waiting.length === 0) {
      const { done, value } = await batches.next();
      if (done === true) return null;
      if (value.gap !== null) gaps.push(value.gap);
      waiting.push(...value.lines);
    }
    return (waiting.shift() as LogLine).text;
  };
  const take = async (count: number): Promise<Array<string | null>> => {
    const taken: Array<string | null> = [];
    while (taken.length < count) taken.push(await next());
    return taken;
  };
  return { next, take, gaps };
}

describe('existing lines', () => {
  test('are read in order across rotated and compressed files', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    for (let part = 0; part < 4; part++) {
      pod.lines(part * 10, part * 10 + 10);
      if (part < 3) pod.rotate();
    }
    pod.compress();
    pod.compress();
    expect(texts(await read())).toEqual(numbered(0, 40));
  });

  test.each([0, 1, 7, 30, 45, 60, 500])(
    'end with the last %s lines in a tail of that size',
    async (count) => {
      const pod = new PodFiles(root, { pod: 'web-1' });
      pod.lines(0, 20);
      pod.rotate();
      pod.lines(20, 40);
      pod.rotate();
      pod.lines(40, 60);
      pod.compress();
      expect(texts(await read(tail(count)))).toEqual(numbered(Math.max(0, 60 - count), 60));
    },
  );

  test('of a large file are found from its end, across block boundaries', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.raw(
      Array.from(
        { length: 20_000 },
        (_, n) => `2026-11-15T03:00:00.000000001Z stdout F ${'é'.repeat(n % 50)} ${n}\n`,
      ).join(''),
    );
    const seen = await read(tail(5_000));
    expect(seen.lines.map(({ text }) => Number(text.split(' ')[1]))).toEqual(
      Array.from({ length: 5_000 }, (_, i) => 15_000 + i),
    );
  });

  test('written in parts are joined, also with the other stream in between and in tails', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    const wide = Buffer.from('한');
    pod.write('first');
    pod.write('out-1 ', { tag: 'P', time: '2026-11-15T04:00:00.000000001Z' });
    pod.write('err-1 ', { tag: 'P', stream: 'stderr' });
    pod.write('out-2 ', { tag: 'P' });
    pod.write('err-2', { stream: 'stderr' });
    pod.write('between', { stream: 'stderr' });
    // A character that is split between two parts.
    pod.raw(`2026-11-15T04:00:01.000000001Z stdout P ${wide.subarray(0, 1).toString('latin1')}\n`);
    const seen = await read();
    expect(texts(seen)).toEqual(['first', 'err-1 err-2', 'between']);
    writeFileSync(
      pod.current,
      Buffer.concat([
        Buffer.from('2026-11-15T04:00:00.000000001Z stdout P a'),
        wide.subarray(0, 2),
        Buffer.from('\n2026-11-15T04:00:00.000000002Z stdout F '),
        wide.subarray(2),
        Buffer.from('b\n'),
      ]),
    );
    const [line] = (await read()).lines;
    expect(line).toMatchObject({ text: 'a한b', time: '2026-11-15T04:00:00.000000001Z' });
    expect(texts(await read(tail(1)))).toEqual(['a한b']);
  });

  test('that began far before a tail are whole in it, with many lines of the other stream in between', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 3_000);
    pod.write('begun, ', { tag: 'P', stream: 'stderr' });
    pod.lines(3_000, 6_000);
    pod.write('ended', { stream: 'stderr' });
    pod.lines(6_000, 6_002);
    for (const [count, expected] of [
      [2, ['line 6000', 'line 6001']],
      [4, ['line 5999', 'begun, ended', 'line 6000', 'line 6001']],
    ] as const)
      expect(texts(await read(tail(count)))).toEqual(expected);
  });

  test('over 1 MiB are cut and marked, and the lines around them are complete', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.write('before');
    for (let part = 0; part < 80; part++) pod.write('x'.repeat(16 * 1024), { tag: 'P' });
    pod.write('end of the long one');
    pod.write('y'.repeat(3 * 1024 * 1024));
    pod.write('after');
    const seen = await read();
    expect(seen.lines.map(({ text }) => text.length)).toEqual([
      6,
      LINE_BYTES_MAX + CUT_MARK.length,
      LINE_BYTES_MAX + CUT_MARK.length,
      5,
    ]);
    for (const [n, line] of seen.lines.entries())
      expect(texts(await read(from(line)))).toEqual(texts(seen).slice(n + 1));
  });

  test('that are not records are returned as they are, with the timestamp of the line before', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.write('good', { time: '2026-11-15T05:00:00.5+02:00' });
    pod.raw('goroutine 1 [running]:\n');
    expect((await read()).lines).toMatchObject([
      { text: 'good', time: '2026-11-15T03:00:00.500000000Z' },
      { text: 'goroutine 1 [running]:', time: '2026-11-15T03:00:00.500000000Z' },
    ]);
  });

  test('since a time start at that time, across files', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.write('old', { time: '2026-11-15T03:00:00Z' });
    pod.rotate();
    pod.write('new', { time: '2026-11-15T03:00:02Z' });
    expect(texts(await read({ kind: 'since', time: '2026-11-15T03:00:01.000000000Z' }))).toEqual(['new']);
  });
});

describe('a position', () => {
  test('is found again after every line, across rotation, compression and lines in parts', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    const write = (n: number): void => {
      if (n % 3 === 0) pod.write('begun ', { tag: 'P' });
      if (n % 4 === 1) pod.write(`between ${n}`, { stream: 'stderr' });
      pod.write(`${n}`);
      if (n % 7 === 6) pod.rotate();
    };
    for (let n = 0; n < 30; n++) write(n);
    const whole = await read();
    expect(new Set(whole.lines.map(({ position }) => position)).size).toBe(whole.lines.length);
    pod.rotate();
    pod.compress();
    pod.compress();
    for (const [n, line] of whole.lines.entries()) {
      if (n % 3 > 0 && n > 8) continue;
      const seen = await read(from(line));
      expect(texts(seen)).toEqual(texts(whole).slice(n + 1));
      expect(seen.gaps).toEqual([]);
      expect(texts(await read({ kind: 'start' }, { until: line.position }))).toEqual(
        texts(whole).slice(0, n + 1),
      );
      expect(texts(await read(tail(4), { until: line.position }))).toEqual(
        texts(whole).slice(Math.max(0, n - 3), n + 1),
      );
    }
  });

  test('that no longer exists is reported as a gap, and the remaining lines follow', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 5);
    const [first] = (await read()).lines;
    pod.rotate();
    pod.lines(5, 10);
    pod.forget();
    const seen = await read(from(first));
    expect(seen.gaps).toEqual(['rotated away']);
    expect(texts(seen)).toEqual(numbered(5, 10));
    expect((await read({ kind: 'start' }, { until: (first as LogLine).position })).lines).toEqual([]);
  });

  test('in a file that was copied and truncated is found in the copy', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 5);
    const line = (await read()).lines[2];
    pod.copyTruncate();
    pod.lines(5, 8);
    expect(texts(await read(from(line)))).toEqual(numbered(3, 8));
  });
});

describe('following', () => {
  test('continues across one rotation, and across two at once', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 3);
    const stream = await follow();
    expect(await stream.take(3)).toEqual(numbered(0, 3));
    pod.lines(3, 5);
    pod.rotate();
    pod.lines(5, 7);
    pod.rotate();
    pod.compress();
    pod.lines(7, 9);
    expect(await stream.take(6)).toEqual(numbered(3, 9));
    pod.rotate();
    pod.forget();
    pod.lines(9, 12);
    expect(await stream.take(3)).toEqual(numbered(9, 12));
    expect(stream.gaps).toEqual([]);
  });

  test('ends after the last line before a restart, also without a line feed', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 2);
    const stream = await follow();
    await stream.take(2);
    pod.write('begun', { tag: 'P' });
    pod.raw('2026-11-15T03:10:00Z stderr F no end');
    pod.restart();
    pod.write('another run');
    expect(await stream.take(3)).toEqual(['no end', 'begun', null]);
    const [first, second] = await sources();
    expect([first, second]).toMatchObject([
      { restart: 0, ended: true },
      { restart: 1, ended: false },
    ]);
    expect(texts(await read({ kind: 'start' }, { source: second as LogSource }))).toEqual(['another run']);
  });

  test('ends after the last line of a deleted pod', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 2);
    const stream = await follow();
    await stream.take(1);
    pod.lines(2, 4);
    pod.remove();
    expect(await stream.take(4)).toEqual([...numbered(1, 4), null]);
  });

  test('reports a truncated file as a gap and reads it from its start', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    pod.lines(0, 3);
    const stream = await follow();
    await stream.take(3);
    writeFileSync(pod.current, '');
    pod.lines(3, 5);
    expect(await stream.take(2)).toEqual(numbered(3, 5));
    expect(stream.gaps).toEqual(['the file was emptied']);
  });
});

describe('the sources of a project', () => {
  test('are the pods whose namespace is its id, updated as pods come and go', async () => {
    const pod = new PodFiles(root, { pod: 'web-1' });
    new PodFiles(root, { pod: 'other', project: 'shop-2' });
    const seen = store.discover('shop', stop.signal)[Symbol.asyncIterator]();
    const pods = async () => ((await seen.next()).value as LogSource[]).map(({ pod: name }) => name);
    expect(await pods()).toEqual(['web-1']);
    new PodFiles(root, { pod: 'web-2' });
    expect(await pods()).toEqual(['web-1', 'web-2']);
    pod.remove();
    expect(await pods()).toEqual(['web-2']);
  });

  test('never lead out of the root', async () => {
    const outside = makeLogRoot();
    const secret = join(outside, '0.log');
    writeFileSync(secret, '2026-11-15T03:00:00Z stdout F secret\n');
    const folder = join(root, 'pods', 'shop_evil_uid-1', 'app');
    mkdirSync(folder, { recursive: true });
    symlinkSync(secret, join(folder, '0.log'));
    mkdirSync(join(root, 'pods', 'shop_worse_uid-2'), { recursive: true });
    symlinkSync(outside, join(root, 'pods', 'shop_worse_uid-2', 'app'));
    for (const source of await sources())
      expect((await read({ kind: 'start' }, { source })).lines).toEqual([]);
    for (const project of ['..', '../shop', 'shop/..', '']) expect(await sources(project)).toEqual([]);
    rmSync(outside, { recursive: true });
  });
});
