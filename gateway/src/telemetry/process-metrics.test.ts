import { expect, test } from 'vitest';
import { ProcessMetrics } from './process-metrics.ts';
import type { ReadMetric } from './write-metrics.ts';

const backlog = (value: number | null): ReadMetric => ({
  ...{ name: 'tollgate_backlog_jobs', help: 'h', type: 'gauge', aggregator: 'max' },
  values: [{ value, labels: { kind: 'batch' } }],
});
const held = (value: number): ReadMetric => ({
  ...{ name: 'tollgate_bytes', help: 'h', type: 'gauge', aggregator: 'sum' },
  values: [{ value, labels: {} }],
});
const seconds = (value: number, traceId: string | null, timestamp: number): ReadMetric => ({
  ...{ name: 'tollgate_seconds', help: 'h', type: 'histogram', aggregator: 'sum' },
  values: [
    {
      ...{ value, labels: { le: 1 }, metricName: 'tollgate_seconds_bucket' },
      exemplar: traceId === null ? null : { labelSet: { trace_id: traceId }, value: 0.5, timestamp },
    },
  ],
});

test('a number of the whole installation is shown once, a number of a process with its process', async () => {
  const readings = [
    { process: '1', metrics: [backlog(3), held(10)] },
    { process: '2', metrics: [backlog(4), held(20)] },
    { process: '3', metrics: [backlog(null), held(30)] },
  ];
  const { text } = await new ProcessMetrics().page(readings, { own: [], accept: '' });
  expect(text.split('\n').filter((line) => /^tollgate/.test(line))).toEqual([
    'tollgate_backlog_jobs{kind="batch"} 4',
    'tollgate_bytes{process="1"} 10',
    'tollgate_bytes{process="2"} 20',
    'tollgate_bytes{process="3"} 30',
  ]);
});

test('the newest exemplar of all processes stays with the sum', async () => {
  const readings = [
    { process: '1', metrics: [seconds(2, 'newer', 9)] },
    { process: '2', metrics: [seconds(3, 'older', 8)] },
    { process: '3', metrics: [seconds(4, null, 0)] },
  ];
  const accept = 'application/openmetrics-text';
  const { text } = await new ProcessMetrics().page(readings, { own: [], accept });
  expect(text).toContain('tollgate_seconds_bucket{le="1"} 9 # {trace_id="newer"} 0.5 9\n');
});
