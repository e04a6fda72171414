/**
 * The two metrics that every request updates. prom-client hashes the labels on each update; these only add numbers,
 * and take the form of prom-client when they are read.
 */

interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** The form in which the registry of prom-client reads a metric. */
interface MetricReading {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: 'sum';
  readonly values: readonly MetricValue[];
}

export class RequestCounter {
  readonly name: string;
  readonly help: string;
  readonly #counts = new Map<string, Map<number, number>>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  add(endpoint: string, status: number): void {
    let counts = this.#counts.get(endpoint);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(endpoint, counts);
    }
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }

  get(): MetricReading {
    const values = [...this.#counts].flatMap(([endpoint, counts]) =>
      [...counts].map(([status, value]) => ({ value, labels: { endpoint, status: String(status) } })),
    );
    return { name: this.name, help: this.help, type: 'counter', aggregator: 'sum', values };
  }
}

const BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];

interface Durations {
  /** One per bucket, and one for larger values. */
  readonly counts: number[];
  sum: number;
}

export class DurationHistogram {
  readonly name: string;
  readonly help: string;
  readonly #endpoints = new Map<string, Durations>();

  constructor(name: string, help: string) {
    this.name = name;
    this.help = help;
  }

  observe(endpoint: string, seconds: number): void {
    let durations = this.#endpoints.get(endpoint);
    if (durations === undefined) {
      durations = { counts: new Array(BUCKETS.length + 1).fill(0), sum: 0 };
      this.#endpoints.set(endpoint, durations);
    }
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    durations.counts[bucket] = (durations.counts[bucket] as number) + 1;
    durations.sum += seconds;
  }

  get(): MetricReading {
    const values = [...this.#endpoints].flatMap(([endpoint, durations]) => this.#read(endpoint, durations));
    return { name: this.name, help: this.help, type: 'histogram', aggregator: 'sum', values };
  }

  /** Buckets are cumulative, as Prometheus requires. */
  #read(endpoint: string, { counts, sum }: Durations): MetricValue[] {
    let total = 0;
    const buckets = counts.map((count, i) => {
      total += count;
      const le = BUCKETS[i] ?? '+Inf';
      return { value: total, labels: { endpoint, le }, metricName: `${this.name}_bucket` };
    });
    const labels = { endpoint };
    return [
      ...buckets,
      { value: sum, labels, metricName: `${this.name}_sum` },
      { value: total, labels, metricName: `${this.name}_count` },
    ];
  }
}
