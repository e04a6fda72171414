/** How spans are sent: bounded, retried, never in the way. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Span } from '../../src/telemetry/traces/span.ts';
import { SpanExporter } from '../../src/telemetry/traces/span-exporter.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { PATIENCE } from '../support/patience.ts';
import { TestClock } from '../support/test-clock.ts';

let collector: OtlpReceiver;
let clock: TestClock;
let counts: { exported: number; dropped: number };
let troubles: unknown[];

beforeAll(async () => {
  collector = await startOtlpReceiver();
});
afterAll(() => collector.stop());
beforeEach(() => {
  clock = new TestClock();
  counts = { exported: 0, dropped: 0 };
  troubles = [];
  collector.answer = { status: 200, body: '{}' };
});

function exporter(more: { queueSpansMax?: number; url?: string } = {}): SpanExporter {
  return new SpanExporter({
    ...{
      url: collector.url,
      headers: {},
      timeoutMs: 10_000,
      delayMs: 5_000,
      queueSpansMax: 100,
      clock,
      ...more,
    },
    source: { resource: {}, version: '0' },
    onEnded: (result, spans) => {
      counts[result] += spans;
    },
    onTrouble: (error) => troubles.push(error),
  });
}

function span(name: string): Span {
  const traceId = '1'.repeat(32);
  return new Span({ name, kind: 'internal', traceId, parentId: null, startMs: 1_000.5, attributes: {} });
}

test('spans wait for each other, and are sent together', async () => {
  const sender = exporter();
  const before = collector.requests.length;
  for (const name of ['a', 'b', 'c']) sender.add(span(name));
  expect(collector.requests).toHaveLength(before);
  clock.pass(5_000);
  await vi.waitFor(() => expect(counts.exported).toBe(3), PATIENCE);
  expect(collector.requests).toHaveLength(before + 1);
  expect(collector.spans.at(-1)?.startTimeUnixNano).toBe('1000500000');
});

test('spans above the limit of the queue are dropped and counted', async () => {
  const sender = exporter({ queueSpansMax: 2 });
  for (let i = 0; i < 5; i++) sender.add(span(`${i}`));
  // The first two fill the queue and are taken for sending; the same happens to the next two.
  await sender.stop(1_000);
  expect(counts.exported + counts.dropped).toBe(5);
  expect(counts.dropped).toBeGreaterThan(0);
});

test('a collector that is busy is asked again, then the spans are dropped', async () => {
  collector.answer = { status: 503, body: '' };
  const before = collector.requests.length;
  const sender = exporter();
  sender.add(span('a'));
  clock.pass(5_000);
  await vi.waitFor(() => {
    clock.pass(3_000);
    expect(counts.dropped).toBe(1);
  }, PATIENCE);
  expect(collector.requests).toHaveLength(before + 3);
  expect(troubles).toEqual([new Error('the collector answered with status 503')]);
  collector.answer = { status: 200, body: '' };
  sender.add(span('b'));
  await sender.stop(1_000);
  expect(troubles).toHaveLength(2);
  expect(troubles[1]).toBeNull();
});

test('spans that a collector rejects out of a batch are counted as dropped', async () => {
  collector.answer = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"2"}}' };
  const sender = exporter();
  for (const name of ['a', 'b', 'c']) sender.add(span(name));
  await sender.stop(1_000);
  expect(counts).toEqual({ exported: 1, dropped: 2 });
});

test('a collector that cannot be reached does not delay the stop beyond its limit', async () => {
  const sender = exporter({ url: 'http://127.0.0.1:1/v1/traces' });
  sender.add(span('a'));
  const stopped = sender.stop(1_000);
  await vi.waitFor(() => {
    clock.pass(1_000);
    expect(counts.dropped).toBe(1);
  }, PATIENCE);
  await stopped;
  sender.add(span('late'));
  expect(counts.dropped).toBe(2);
});
