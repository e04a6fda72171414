/**
 * Puts the metrics of several processes on one page. Counters and histograms are added up, and keep what ended
 * processes counted: a sum that fell would look like a restart of everything. Gauges have one series per process, unless
 * they describe the whole installation: every process reads the same number then, and the largest is shown.
 */
import { type MetricsPage, type ReadMetric, type ReadValue, writeMetrics } from './write-metrics.ts';

type Exemplar = ReadValue['exemplar'];

export interface ProcessReading {
  /** The value of the label `process`. */
  readonly process: string;
  readonly metrics: readonly ReadMetric[];
}

export class ProcessMetrics {
  /** Sums of processes that have ended, by the name of the metric. */
  readonly #ended = new Map<string, ReadMetric>();

  /** Keeps the sums of a process that has ended. */
  addEnded(metrics: readonly ReadMetric[]): void {
    for (const metric of metrics.filter(isSummed)) {
      this.#ended.set(metric.name, summed([this.#ended.get(metric.name), metric]));
    }
  }

  /** The page for Prometheus; `own` are metrics of the supervisor itself. */
  async page(
    readings: readonly ProcessReading[],
    { own, accept }: { own: readonly ReadMetric[]; accept: string },
  ): Promise<MetricsPage> {
    return await writeMetrics([...this.#join(readings), ...own], accept);
  }

  #join(readings: readonly ProcessReading[]): ReadMetric[] {
    const names = new Set([
      ...this.#ended.keys(),
      ...readings.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
    ]);
    return [...names].map((name) => {
      const found = readings.flatMap(({ process, metrics }) =>
        metrics.filter((metric) => metric.name === name).map((metric) => ({ process, metric })),
      );
      const ended = this.#ended.get(name);
      const metrics = found.map(({ metric }) => metric);
      if (metrics[0] !== undefined && isOfInstallation(metrics[0])) return largest(metrics);
      return ended !== undefined || metrics.some(isSummed) ? summed([ended, ...metrics]) : labelled(found);
    });
  }
}

function isSummed({ type }: ReadMetric): boolean {
  return type === 'counter' || type === 'histogram';
}

/** prom-client uses the same word for metrics of a process. */
function isOfInstallation({ name, type, aggregator }: ReadMetric): boolean {
  return type === 'gauge' && aggregator === 'max' && name.startsWith('tollgate_');
}

function largest(metrics: readonly ReadMetric[]): ReadMetric {
  const found = new Map<string, ReadValue>();
  for (const value of metrics.flatMap(({ values }) => values)) {
    const series = seriesOf(value);
    if (value.value !== null && value.value >= (found.get(series)?.value ?? Number.NEGATIVE_INFINITY))
      found.set(series, value);
  }
  return { ...(metrics[0] as ReadMetric), values: [...found.values()] };
}

function seriesOf({ metricName, labels }: ReadValue): string {
  return JSON.stringify([metricName, Object.entries(labels).sort()]);
}

function summed(metrics: ReadonlyArray<ReadMetric | undefined>): ReadMetric {
  const present = metrics.filter((metric) => metric !== undefined);
  const sums = new Map<string, ReadValue>();
  for (const value of present.flatMap(({ values }) => values)) {
    const series = seriesOf(value);
    const before = sums.get(series);
    const exemplar = newest(before?.exemplar, value.exemplar);
    const sum = (before?.value ?? 0) + (value.value ?? 0);
    sums.set(series, { ...value, value: sum, ...(exemplar && { exemplar }) });
  }
  return { ...(present[0] as ReadMetric), values: [...sums.values()] };
}

function newest(a: Exemplar, b: Exemplar): Exemplar {
  if (!a || !b) return a || b;
  return a.timestamp > b.timestamp ? a : b;
}

function labelled(found: ReadonlyArray<{ process: string; metric: ReadMetric }>): ReadMetric {
  const values = found.flatMap(({ process, metric }) =>
    metric.values
      .filter(({ value }) => value !== null)
      .map((value) => ({ ...value, labels: { ...value.labels, process } })),
  );
  return { ...(found[0]?.metric as ReadMetric), values };
}
