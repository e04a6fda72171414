/**
 * Puts the metrics of several processes on one page. Counters and histograms are added up, and keep what ended
 * processes counted: a sum that fell would look like a restart of everything. Gauges have one series per process.
 */
import { type Metric, Registry } from 'prom-client';

export interface ReadValue {
  /** Null for a value that JSON does not have, such as NaN. */
  readonly value: number | null;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string;
}

/** A metric as prom-client reads it, which can be sent to another process. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly ReadValue[];
}

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
    own: readonly ReadMetric[],
  ): Promise<{ text: string; contentType: string }> {
    const registry = new Registry();
    for (const metric of [...this.#join(readings), ...own]) {
      registry.registerMetric({ ...metric, get: () => metric } as unknown as Metric);
    }
    return { text: await registry.metrics(), contentType: registry.contentType };
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
      return ended !== undefined || found.some(({ metric }) => isSummed(metric))
        ? summed([ended, ...found.map(({ metric }) => metric)])
        : labelled(found);
    });
  }
}

function isSummed({ type }: ReadMetric): boolean {
  return type === 'counter' || type === 'histogram';
}

function summed(metrics: ReadonlyArray<ReadMetric | undefined>): ReadMetric {
  const present = metrics.filter((metric) => metric !== undefined);
  const sums = new Map<string, ReadValue>();
  for (const value of present.flatMap(({ values }) => values)) {
    const series = JSON.stringify([value.metricName, Object.entries(value.labels).sort()]);
    sums.set(series, { ...value, value: (sums.get(series)?.value ?? 0) + (value.value ?? 0) });
  }
  return { ...(present[0] as ReadMetric), values: [...sums.values()] };
}

function labelled(found: ReadonlyArray<{ process: string; metric: ReadMetric }>): ReadMetric {
  const values = found.flatMap(({ process, metric }) =>
    metric.values
      .filter(({ value }) => value !== null)
      .map((value) => ({ ...value, labels: { ...value.labels, process } })),
  );
  return { ...(found[0]?.metric as ReadMetric), values };
}
