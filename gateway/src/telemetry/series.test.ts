import { expect, test } from 'vitest';
import { parseUnits } from '../kernel/units.ts';
import { CallMetrics } from './call-metrics.ts';
import { HistogramSeries, SeriesCounter, UnitsCounter } from './series.ts';

test('series above the limit are counted together, as other', () => {
  const counter = new SeriesCounter({ name: 'calls', help: '', labels: ['model', 'code'], seriesMax: 2 });
  for (const model of ['a', 'b', 'c', 'd', 'a']) counter.of(model, 'x').value++;
  expect(counter.get().values).toEqual([
    { value: 2, labels: { model: 'a', code: 'x' } },
    { value: 1, labels: { model: 'b', code: 'x' } },
    { value: 2, labels: { model: 'other', code: 'other' } },
  ]);
});

test('units are added exactly, however small', () => {
  const counter = new UnitsCounter({ name: 'units', help: '', labels: [] });
  const series = counter.of();
  for (let i = 0; i < 10; i++)
    series.units = (series.units + parseUnits('0.000000000001')) as typeof series.units;
  series.units = (series.units + parseUnits('0.1') + parseUnits('0.2')) as typeof series.units;
  expect(counter.get().values).toEqual([{ value: 0.30000000001, labels: {} }]);
});

test('buckets are cumulative, and a traced observation is the exemplar of its bucket', () => {
  const series = new HistogramSeries([0.1, 1]);
  series.observe(0.05);
  series.observeTraced(0.5, { traceId: 'one', sampled: true }, 2_000);
  series.observeTraced(0.7, { traceId: 'two', sampled: false }, 3_000);
  series.observe(5);
  const values = series.read('seconds', {});
  expect(values.map(({ value }) => value)).toEqual([1, 3, 4, 6.25, 4]);
  const exemplar = { labelSet: { trace_id: 'one' }, value: 0.5, timestamp: 2 };
  expect(values.map((value) => value.exemplar)).toEqual([
    undefined,
    exemplar,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a route that a new configuration gives to another provider has a series of its own', () => {
  const metrics = new CallMetrics();
  const call = { endpoint: 'chat', model: 'm', outcome: 'completed', problem: null, usage: null } as const;
  const times = { charge: null, firstByteMs: null, durationMs: 5, chargedAt: 0 };
  for (const provider of ['old', 'new', 'new']) {
    const route = { id: 'm/0', provider };
    metrics.called({ ...call, ...times, provider }, route, 'prepaid', null);
    metrics.attempted(route, 'm', 'answered');
  }
  const [calls] = metrics.metrics.map((metric) => metric.get());
  const counted = calls?.values.map(({ labels, value }) => [labels.provider, value]);
  expect(counted).toEqual([
    ['old', 1],
    ['new', 2],
  ]);
});
