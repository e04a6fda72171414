/** Many followers of one project: one read of each source, each follower at its own speed, no line skipped. */
import { appendFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time.ts';
import { FEED_LINES_MAX } from '../../src/logs/feed-buffer.ts';
import { FileStore } from '../../src/logs/files/file-store.ts';
import type { LogSource, LogStore, SourceReadOptions } from '../../src/logs/source.ts';
import { LogReader } from '../support/log-client.ts';
import { type LogServer, startLogServer } from '../support/log-server.ts';
import { makeLogRoot, PodFiles } from '../support/pod-files.ts';

let root: string;
let server: LogServer;
let reads: Array<{ source: string; options: SourceReadOptions }>;
let discoveries: number;
beforeEach(async () => {
  root = makeLogRoot();
  reads = [];
  discoveries = 0;
  const files = new FileStore({ root, clock: systemClock });
  const store: LogStore = {
    discover(project, signal) {
      discoveries++;
      return files.discover(project, signal);
    },
    read(source: LogSource, options, signal) {
      reads.push({ source: source.id, options });
      return files.read(source, options, signal);
    },
    knows: (position) => files.knows(position),
    close: () => files.close(),
  };
  server = await startLogServer(store);
});
afterEach(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});

const open = (query = ''): Promise<LogReader> =>
  LogReader.open(`${server.url}/api/projects/shop/logs?follow=true${query}`, {});
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `line ${from + i}`);

test('500 followers share one read of each source, and each receives every line', async () => {
  const pods = ['a', 'b'].map((pod) => new PodFiles(root, { pod }));
  for (const pod of pods) pod.lines(0, 50);
  const readers = await Promise.all(Array.from({ length: 500 }, () => open('&tailLines=10')));
  for (const pod of pods) pod.lines(50, 70);
  const seen = await Promise.all(readers.map((reader) => reader.take(50)));
  const [first] = seen;
  expect(
    first
      ?.slice(10)
      .map(({ content }) => content)
      .sort(),
  ).toEqual([...numbered(50, 70), ...numbered(50, 70)].sort());
  for (const lines of seen) expect(lines).toEqual(first);
  expect([reads.length, discoveries]).toEqual([2, 1]);
  for (const reader of readers) reader.close();
});

test('a follower that stops reading delays no other, and receives every line later', async () => {
  const pod = new PodFiles(root, { pod: 'a' });
  // More than the buffer of the feed and the buffers of a connection can hold.
  const count = FEED_LINES_MAX;
  const write = (from: number, to: number): void =>
    appendFileSync(
      pod.current,
      numbered(from, to)
        .map((text) => `2026-11-15T03:00:00.000000001Z stdout F ${text} ${'x'.repeat(1_000)}\n`)
        .join(''),
    );
  write(0, 10);
  const fast = await open();
  // A connection that is not read.
  const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
  slow.write('GET /api/projects/shop/logs?follow=true HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => slow.once('readable', resolve));
  expect((await fast.contents(10)).length).toBe(10);
  for (let from = 10; from < count; from += 5_000) {
    write(from, Math.min(count, from + 5_000));
    const contents = await fast.contents(Math.min(count, from + 5_000) - from);
    expect(contents.at(-1)).toContain(`line ${Math.min(count, from + 5_000) - 1} x`);
  }
  fast.close();
  const chunks: Buffer[] = [];
  for await (const chunk of slow) {
    chunks.push(chunk as Buffer);
    if (chunk.includes(`line ${count - 1} x`)) break;
  }
  const text = Buffer.concat(chunks).toString('latin1');
  const contents = [...text.matchAll(/"content":"(line \d+) x/g)].map((match) => match[1]);
  // Chunk headers may be between two lines, never inside one.
  expect(contents).toEqual(numbered(0, count));
  // It fell behind and read the missed lines from the store.
  expect(reads.length).toBeGreaterThan(1);
});

test('a follower that asks for more than the buffer holds reads the past from the store and then joins the feed', async () => {
  const pod = new PodFiles(root, { pod: 'a' });
  pod.lines(0, 5_000);
  const [all, tail, since] = await Promise.all([open(), open('&tailLines=3000'), open('&tailLines=100')]);
  expect(await all.contents(5_000)).toEqual(numbered(0, 5_000));
  expect(await tail.contents(3_000)).toEqual(numbered(2_000, 5_000));
  expect(await since.contents(100)).toEqual(numbered(4_900, 5_000));
  const before = reads.length;
  pod.lines(5_000, 5_100);
  for (const reader of [all, tail, since]) expect(await reader.contents(100)).toEqual(numbered(5_000, 5_100));
  expect(reads.length).toBe(before);
  expect(reads.filter(({ options }) => options.follow)).toHaveLength(1);
  for (const reader of [all, tail, since]) reader.close();
});

test('lines of a deleted pod are not repeated to a client that reconnects, and no gap is reported', async () => {
  const [deleted, staying] = ['a', 'b'].map((pod) => new PodFiles(root, { pod })) as [PodFiles, PodFiles];
  deleted.lines(0, 3);
  staying.lines(0, 1);
  const ids = new Map<string, string>();
  const first = await open('&ids=true');
  const receive = async (count: number): Promise<void> => {
    for (const { id = '' } of await first.take(count)) ids.set(id.split('@')[0] ?? '', id);
  };
  await receive(4);
  deleted.remove();
  for (let state = ''; state !== 'ended'; ) state = (await first.event('pod')).state ?? '';
  // The next change in the project removes the deleted pod from the feed.
  new PodFiles(root, { pod: 'c' }).lines(0, 1);
  await receive(1);
  first.close();
  for (let reconnects = 0; reconnects < 3; reconnects++) {
    const after = [...ids.values()].map((id) => `&after=${encodeURIComponent(id)}`).join('');
    const again = await open(`&ids=true${after}`);
    const seen: string[] = [];
    for (let line = await again.next(); line !== null; line = await again.next()) {
      if ('event' in line && line.event === 'caught_up') break;
      seen.push('content' in line ? line.content : 'event' in line ? line.event : 'end');
    }
    expect(seen).toEqual(['pod', 'pod']);
    again.close();
  }
});
