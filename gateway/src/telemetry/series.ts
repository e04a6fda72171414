/**
 * Metrics that calls update. prom-client hashes the labels on each update. Here a caller keeps the series of its labels
 * and only adds numbers; they take the form of prom-client when they are read. Each metric has a limited number of
 * series: what exceeds it is counted under the label value `other`.
 */
import { printUnits, type Units, ZERO } from '../kernel/units.ts';

export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
  readonly exemplar?: MetricExemplar;
}

/** The last traced observation of a bucket, as prom-client writes it. */
export interface MetricExemplar {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** Seconds since the Unix epoch. */
  readonly timestamp: number;
}

/** The form in which the registry of prom-client reads a metric. */
export interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: 'sum';
  readonly values: readonly MetricValue[];
}

/** The value of every label of the series that counts what exceeds the limit. */
export const OTHER = 'other';
const SERIES_MAX = 2_000;

interface Described {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Default: 2,000. */
  readonly seriesMax?: number;
}

type Labels = Readonly<Record<string, string>>;

/** The series of one metric, by their label values. */
abstract class SeriesMetric<Series> {
  readonly name: string;
  readonly help: string;
  readonly #labels: readonly string[];
  readonly #seriesMax: number;
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: Series }>();

  constructor({ name, help, labels, seriesMax = SERIES_MAX }: Described) {
    this.name = name;
    this.help = help;
    this.#labels = labels;
    this.#seriesMax = seriesMax;
  }

  /** The series of these label values, in the order of the labels. Keep it, if it is used often. */
  of(...values: readonly string[]): Series {
    const key = values.join('\n');
    const found = this.#series.get(key);
    if (found !== undefined) return found.series;
    if (this.#series.size >= this.#seriesMax && values.some((value) => value !== OTHER))
      return this.of(...values.map(() => OTHER));
    const labels = Object.fromEntries(this.#labels.map((label, i) => [label, values[i] ?? '']));
    const series = this.create();
    this.#series.set(key, { labels, series });
    return series;
  }

  get(): MetricReading {
    const values = [...this.#series.values()].flatMap(({ labels, series }) => this.read(series, labels));
    return { name: this.name, help: this.help, type: this.type, aggregator: 'sum', values };
  }

  protected abstract readonly type: 'counter' | 'histogram';
  protected abstract create(): Series;
  protected abstract read(series: Series, labels: Labels): MetricValue[];
}

/** A number that only grows. */
export interface CounterSeries {
  value: number;
}

export class SeriesCounter extends SeriesMetric<CounterSeries> {
  protected readonly type = 'counter';

  protected create(): CounterSeries {
    return { value: 0 };
  }

  protected read({ value }: CounterSeries, labels: Labels): MetricValue[] {
    return [{ value, labels }];
  }
}

/** An amount that only grows; exact until it is read. */
export interface UnitsSeries {
  units: Units;
}

export class UnitsCounter extends SeriesMetric<UnitsSeries> {
  protected readonly type = 'counter';

  protected create(): UnitsSeries {
    return { units: ZERO };
  }

  protected read({ units }: UnitsSeries, labels: Labels): MetricValue[] {
    return [{ value: Number(printUnits(units)), labels }];
  }
}

export class SeriesHistogram extends SeriesMetric<HistogramSeries> {
  protected readonly type = 'histogram';
  readonly #buckets: readonly number[];

  constructor(described: Described & { readonly buckets: readonly number[] }) {
    super(described);
    this.#buckets = described.buckets;
  }

  protected create(): HistogramSeries {
    return new HistogramSeries(this.#buckets);
  }

  protected read(series: HistogramSeries, labels: Labels): MetricValue[] {
    return series.read(this.name, labels);
  }
}

/** What a trace adds to an observation. */
export interface ObservedTrace {
  readonly traceId: string;
  readonly sampled: boolean;
}

export class HistogramSeries {
  readonly #buckets: readonly number[];
  /** One per bucket, and one for larger values. */
  readonly #counts: number[];
  readonly #exemplars: Array<MetricExemplar | undefined> = [];
  #sum = 0;

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets;
    this.#counts = new Array<number>(buckets.length + 1).fill(0);
  }

  /** Returns the bucket. */
  observe(value: number): number {
    const buckets = this.#buckets;
    let bucket = 0;
    while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
    return bucket;
  }

  /** `at`: milliseconds since the Unix epoch. */
  observeTraced(value: number, { traceId, sampled }: ObservedTrace, at: number): void {
    const bucket = this.observe(value);
    if (sampled) this.#exemplars[bucket] = { labelSet: { trace_id: traceId }, value, timestamp: at / 1000 };
  }

  /** Buckets are cumulative, as Prometheus requires. */
  read(name: string, labels: Labels): MetricValue[] {
    let total = 0;
    const buckets = this.#counts.map((count, i): MetricValue => {
      total += count;
      const exemplar = this.#exemplars[i];
      return {
        value: total,
        labels: { ...labels, le: this.#buckets[i] ?? '+Inf' },
        metricName: `${name}_bucket`,
        ...(exemplar !== undefined && { exemplar }),
      };
    });
    return [
      ...buckets,
      { value: this.#sum, labels, metricName: `${name}_sum` },
      { value: total, labels, metricName: `${name}_count` },
    ];
  }
}
