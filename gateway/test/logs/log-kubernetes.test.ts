/** Logs from the API of a cluster, with everything that interrupts a follower. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type KubernetesStandIn, startKubernetes } from '../../simulator/kubernetes/kubernetes.ts';
import { logTimeOf } from '../../src/kernel/log-time.ts';
import { type Clock, systemClock } from '../../src/kernel/time.ts';
import { KubernetesStore } from '../../src/logs/kubernetes/kubernetes-store.ts';
import { readTail } from '../../src/logs/last-lines.ts';
import type { LogLine, LogSource, ReadFrom } from '../../src/logs/source.ts';
import { clusterAt } from '../support/cluster-at.ts';
import { PATIENCE } from '../support/patience.ts';

let kubernetes: KubernetesStandIn;
let store: KubernetesStore;
let stop: AbortController;

/** The first answer may take its time on a busy machine: what fails before it is reported, not tried again. */
let hurries = false;
/** Delays of a minute or more take a moment. */
const hurried: Clock = {
  ...systemClock,
  after: (delayMs, work) => systemClock.after(hurries && delayMs >= 60_000 ? 300 : delayMs, work),
};

async function begin(options: { stalls?: boolean } = {}): Promise<void> {
  hurries = false;
  kubernetes = await startKubernetes({ token: 'secret-token', ...options });
  store = new KubernetesStore({
    cluster: clusterAt(kubernetes.url, 'secret-token'),
    namespace: null,
    clock: hurried,
  });
}

beforeEach(() => {
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await store.close();
  await kubernetes.stop();
});

let clockMs = Date.parse('2026-11-15T03:00:00Z');
const makePod = (name: string, project = 'shop') => {
  const pod = kubernetes.cluster.addPod({ name, project });
  return {
    pod,
    write: (text: string) => pod.write({ time: logTimeOf(clockMs++), stream: 'stdout', tag: 'F', text }),
  };
};

async function sources(): Promise<readonly LogSource[]> {
  for await (const found of store.discover('shop', stop.signal)) return found;
  return [];
}

async function follow(from: ReadFrom = { kind: 'start' }, given?: LogSource) {
  const source = given ?? ((await sources())[0] as LogSource);
  hurries = true;
  const batches = store.read(source, { from, follow: true }, stop.signal)[Symbol.asyncIterator]();
  const waiting: LogLine[] = [];
  const gaps: string[] = [];
  const next = async (): Promise<LogLine | null> => {
    while (waiting.length === 0) {
      const { done, value } = await batches.next();
      if (done === true) return null;
      if (value.gap !== null) gaps.push(value.gap);
      waiting.push(...value.lines);
    }
    return waiting.shift() as LogLine;
  };
  const take = async (count: number): Promise<Array<string | null>> => {
    const taken: Array<string | null> = [];
    while (taken.length < count) taken.push((await next())?.text ?? null);
    return taken;
  };
  return { next, take, gaps };
}

describe('the pods of a project', () => {
  test('are those with its label, updated as they start, restart and end, also after the watch expires', async () => {
    await begin();
    const { pod } = makePod('web-1');
    makePod('other', 'another');
    const seen = store.discover('shop', stop.signal)[Symbol.asyncIterator]();
    const next = async (): Promise<string[]> =>
      ((await seen.next()).value as LogSource[]).map(
        ({ pod: name, restart, ended }) => `${name} ${restart} ${ended ? 'ended' : 'runs'}`,
      );
    expect(await next()).toEqual(['web-1 0 runs']);
    makePod('web-2');
    expect(await next()).toEqual(['web-1 0 runs', 'web-2 0 runs']);
    pod.crash();
    expect(await next()).toEqual(['web-1 0 ended', 'web-2 0 runs']);
    pod.start();
    expect(await next()).toEqual(['web-1 0 ended', 'web-1 1 runs', 'web-2 0 runs']);
    kubernetes.cut(() => 'reset');
    // More changes than a cluster remembers.
    for (let n = 0; n < 30; n++) makePod(`noise-${n}`, 'another');
    kubernetes.cluster.pods.get('default/web-2')?.remove();
    expect(await next()).toEqual(['web-1 0 ended', 'web-1 1 runs']);
  });

  test('are found even if the watch dies silently', async () => {
    await begin();
    makePod('web-1');
    const seen = store.discover('shop', stop.signal)[Symbol.asyncIterator]();
    const names = async (): Promise<string[]> =>
      ((await seen.next()).value as LogSource[]).map(({ pod }) => pod);
    expect(await names()).toEqual(['web-1']);
    hurries = true;
    const next = names();
    await vi.waitFor(() => expect(kubernetes.streams).toBe(1), PATIENCE);
    kubernetes.cut(() => 'mute');
    makePod('web-2');
    expect(await next).toEqual(['web-1', 'web-2']);
  });
});

describe('a followed run', () => {
  test('continues after the server closes the stream, cleanly or not', async () => {
    await begin();
    const { write } = makePod('web-1');
    const stream = await follow();
    for (const how of ['end', 'reset', 'end'] as const) {
      write('tick');
      write('tick');
      expect(await stream.take(2)).toEqual(['tick', 'tick']);
      kubernetes.cut(() => how);
      write('while away');
      expect(await stream.take(1)).toEqual(['while away']);
    }
    expect(stream.gaps).toEqual([]);
  });

  test('that restarted while disconnected is read to its end first', async () => {
    await begin();
    const { pod, write } = makePod('web-1');
    write('one');
    const stream = await follow();
    expect(await stream.take(1)).toEqual(['one']);
    kubernetes.cut(() => 'reset');
    write('last words');
    pod.restart();
    write('of another run');
    expect(await stream.take(2)).toEqual(['last words', null]);
    const second = (await sources()).find(({ restart }) => restart === 1);
    expect(await (await follow({ kind: 'start' }, second)).take(1)).toEqual(['of another run']);
  });

  test('that stalls when its file is rotated is opened again after a silence', async () => {
    await begin({ stalls: true });
    const { pod, write } = makePod('web-1');
    write('before');
    const stream = await follow();
    expect(await stream.take(1)).toEqual(['before']);
    pod.rotate();
    write('after');
    expect(await stream.take(1)).toEqual(['after']);
  });

  test('whose connection dies silently, before or after its first line, is opened again after a silence', async () => {
    await begin();
    const { write } = makePod('web-1');
    const stream = await follow();
    for (const text of ['first', 'second']) {
      const next = stream.take(1);
      await vi.waitFor(() => expect(kubernetes.streams).toBe(1), PATIENCE);
      kubernetes.cut(() => 'mute');
      write(text);
      expect(await next).toEqual([text]);
    }
    expect(stream.gaps).toEqual([]);
  });

  test('ends without an error when its pod is deleted', async () => {
    await begin();
    const { pod, write } = makePod('web-1');
    write('one');
    const stream = await follow();
    expect(await stream.take(1)).toEqual(['one']);
    pod.remove();
    expect(await stream.take(1)).toEqual([null]);
  });

  test('resumes after any line, also in another process', async () => {
    await begin();
    const { write } = makePod('web-1');
    for (const text of ['a', 'tick', 'tick', 'tick', 'b']) write(text);
    const lines: LogLine[] = [];
    const stream = await follow();
    for (let n = 0; n < 5; n++) lines.push((await stream.next()) as LogLine);
    for (const [n, { position }] of lines.entries()) {
      expect(store.knows(position)).toBe(true);
      const again = await follow({ kind: 'after', position });
      write('new');
      expect(await again.take(5 - n + n)).toEqual([
        ...lines.slice(n + 1).map(({ text }) => text),
        ...Array(n + 1).fill('new'),
      ]);
      expect(again.gaps).toEqual([]);
    }
  });

  test('keeps lines without a timestamp, and reports the position before a tail', async () => {
    await begin();
    const { pod, write } = makePod('web-1');
    pod.write({ time: logTimeOf(clockMs - 5_000), stream: 'stdout', tag: 'P', text: 'begun, ' });
    pod.write({ time: logTimeOf(clockMs), stream: 'stdout', tag: 'F', text: 'ended' });
    write('next');
    const since = await follow({ kind: 'since', time: logTimeOf(clockMs - 1_000) });
    expect(await since.take(2)).toEqual(['ended', 'next']);
    const [source] = await sources();
    const options = { from: { kind: 'tail', lines: 1 }, follow: false } as const;
    const batches = store.read(source as LogSource, options, stop.signal)[Symbol.asyncIterator]();
    const { lines, before } = await readTail(batches, { lines: 1, bytesMax: 1e6 });
    expect(lines.map(({ text }) => text)).toEqual(['next']);
    expect(store.knows(before.get(source?.id ?? '')?.position ?? '')).toBe(true);
  });
});

test('a rejected token is reported and not retried forever', async () => {
  await begin();
  const wrong = new KubernetesStore({
    cluster: clusterAt(kubernetes.url, 'wrong'),
    namespace: null,
    clock: systemClock,
  });
  const seen = wrong.discover('shop', stop.signal)[Symbol.asyncIterator]();
  await expect(seen.next()).rejects.toThrow('401');
  await wrong.close();
});
