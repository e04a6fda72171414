/** What is measured of every HTTP request. */
import {
  type CounterSeries,
  type HistogramSeries,
  type ObservedTrace,
  SeriesCounter,
  SeriesHistogram,
} from './series.ts';

const BUCKETS = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300];

interface EndpointSeries {
  readonly seconds: HistogramSeries;
  readonly statuses: Map<number, CounterSeries>;
}

export interface EndedRequest {
  readonly status: number;
  readonly durationMs: number;
  readonly endedAt: number;
  readonly trace: ObservedTrace | null;
}

export class RequestMetrics {
  readonly #requests = new SeriesCounter({
    name: 'tollgate_requests_total',
    help: 'Requests answered, by endpoint and status.',
    labels: ['endpoint', 'status'],
  });
  readonly #seconds = new SeriesHistogram({
    name: 'tollgate_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labels: ['endpoint'],
    buckets: BUCKETS,
  });
  readonly #errors = new SeriesCounter({
    name: 'tollgate_errors_total',
    help: 'Requests answered with an error, by endpoint, model and error code.',
    labels: ['endpoint', 'model', 'code'],
  });
  readonly #endpoints = new Map<string, EndpointSeries>();

  get metrics(): ReadonlyArray<SeriesCounter | SeriesHistogram> {
    return [this.#requests, this.#seconds, this.#errors];
  }

  ended(endpoint: string, { status, durationMs, endedAt, trace }: EndedRequest): void {
    let series = this.#endpoints.get(endpoint);
    if (series === undefined) {
      series = { seconds: this.#seconds.of(endpoint), statuses: new Map() };
      this.#endpoints.set(endpoint, series);
    }
    let count = series.statuses.get(status);
    if (count === undefined) {
      count = this.#requests.of(endpoint, String(status));
      series.statuses.set(status, count);
    }
    count.value++;
    if (trace === null) series.seconds.observe(durationMs / 1000);
    else series.seconds.observeTraced(durationMs / 1000, trace, endedAt);
  }

  failed(endpoint: string, error: { readonly model: string; readonly code: string }): void {
    this.#errors.of(endpoint, error.model, error.code).value++;
  }
}
