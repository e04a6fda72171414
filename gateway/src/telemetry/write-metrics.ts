/** Writes the page that Prometheus reads: as text, or as OpenMetrics with exemplars if the reader accepts it. */
import { type Metric, type OpenMetricsContentType, type PrometheusContentType, Registry } from 'prom-client';
import type { MetricExemplar } from './series.ts';

export interface ReadValue {
  /** Null for a value that JSON does not have, such as NaN. */
  readonly value: number | null;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: `…_bucket`, `…_sum` or `…_count`. */
  readonly metricName?: string;
  /** prom-client writes null where it has none. */
  readonly exemplar?: MetricExemplar | null;
}

/** A metric as prom-client reads it, which can be sent to another process. */
export interface ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** `max` for gauges of ours that describe the whole installation. */
  readonly aggregator?: string;
  readonly values: readonly ReadValue[];
}

export interface MetricsPage {
  readonly text: string;
  readonly contentType: string;
}

/** `accept`: the header of the reader. */
export async function writeMetrics(metrics: readonly ReadMetric[], accept: string): Promise<MetricsPage> {
  const open = accept.includes('application/openmetrics-text');
  const registry: Registry<PrometheusContentType | OpenMetricsContentType> = new Registry();
  registry.setContentType(open ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE);
  for (const metric of metrics) {
    // In OpenMetrics the name of a counter is without the suffix of its values, which prom-client appends.
    const name = open && metric.type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name;
    registry.registerMetric({ ...metric, name, get: () => ({ ...metric, name }) } as unknown as Metric);
  }
  return { text: await registry.metrics(), contentType: registry.contentType };
}
