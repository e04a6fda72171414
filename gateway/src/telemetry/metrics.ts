/** The metrics of the gateway, for Prometheus. docs/operating.md lists their names. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import type { ReadMetric } from './process-metrics.ts';
import { DurationHistogram, RequestCounter } from './request-metrics.ts';

/** Values that are read when the metrics are scraped. */
export interface MetricSources {
  readonly inFlight: () => number;
  readonly openRoutes: () => number;
  readonly callersHeldBack: () => number;
  readonly redisAway: () => number;
  readonly unmatchedMarkup: () => number;
  readonly bytes: () => { readonly held: number; readonly waiting: number; readonly refused: number };
}

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: RequestCounter;
  readonly #duration: DurationHistogram;
  readonly #groupCalls: Histogram;
  readonly #groupSeconds: Histogram;
  readonly #commitTroubles: Counter;
  readonly #backgroundFailures: Counter<'task'>;
  readonly #notKept: Counter<'reason'>;
  #streamsPaused = 0;

  constructor(sources: MetricSources) {
    const registers = [this.registry];
    this.#requests = new RequestCounter(
      'tollgate_requests_total',
      'Requests answered, by endpoint and status.',
    );
    this.#duration = new DurationHistogram(
      'tollgate_request_seconds',
      'Time from the first byte of a request to the last byte of its answer.',
    );
    this.registry.registerMetric(this.#requests as unknown as Metric);
    this.registry.registerMetric(this.#duration as unknown as Metric);
    this.#groupCalls = new Histogram({
      name: 'tollgate_commit_group_calls',
      help: 'Calls per commit.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
      registers,
    });
    this.#groupSeconds = new Histogram({
      name: 'tollgate_commit_seconds',
      help: 'Duration of a commit of calls.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2, 10],
      registers,
    });
    this.#commitTroubles = new Counter({
      name: 'tollgate_commit_troubles_total',
      help: 'Commits of calls that failed; they are retried or given up.',
      registers,
    });
    gauge(
      'tollgate_bytes_in_flight',
      'Bytes that calls hold in memory: request bodies, what is made from them, and answers.',
      () => sources.bytes().held,
      registers,
    );
    gauge(
      'tollgate_bytes_waiting',
      'Calls waiting for the memory budget.',
      () => sources.bytes().waiting,
      registers,
    );
    gauge(
      'tollgate_bytes_refused',
      'Calls rejected because the memory budget was full, since the start.',
      () => sources.bytes().refused,
      registers,
    );
    this.#backgroundFailures = new Counter({
      name: 'tollgate_background_failures_total',
      help: 'Background work that failed, by task.',
      labelNames: ['task'],
      registers,
    });
    this.#notKept = new Counter({
      name: 'tollgate_responses_not_kept_total',
      help: 'Responses answered with "store": false because they could not be kept, by reason.',
      labelNames: ['reason'],
      registers,
    });
    gauge('tollgate_requests_in_flight', 'Requests being answered.', sources.inFlight, registers);
    gauge(
      'tollgate_streams_paused',
      'Streams whose caller reads more slowly than the provider writes.',
      () => this.#streamsPaused,
      registers,
    );
    gauge(
      'tollgate_routes_open',
      'Routes with an open circuit breaker, or failing for several callers at once.',
      sources.openRoutes,
      registers,
    );
    gauge(
      'tollgate_callers_held_back',
      'Callers whose own circuit breaker for a route is open.',
      sources.callersHeldBack,
      registers,
    );
    gauge(
      'tollgate_redis_away',
      '1 if Redis is configured but unavailable, so that per-minute limits are counted without it; else 0.',
      sources.redisAway,
      registers,
    );
    gauge(
      'tollgate_markup_unmatched',
      'Rules of prices.markup that apply to nobody, because their space or key does not exist.',
      sources.unmatchedMarkup,
      registers,
    );
  }

  requestEnded(endpoint: string, status: number, durationMs: number): void {
    this.#requests.add(endpoint, status);
    this.#duration.observe(endpoint, durationMs / 1000);
  }

  groupCommitted(group: { calls: number; durationMs: number }): void {
    this.#groupCalls.observe(group.calls);
    this.#groupSeconds.observe(group.durationMs / 1000);
  }

  commitTrouble(): void {
    this.#commitTroubles.inc();
  }

  backgroundFailed(task: string): void {
    this.#backgroundFailures.inc({ task });
  }

  responseNotKept(reason: string): void {
    this.#notKept.inc({ reason });
  }

  streamsPausedChanged(change: number): void {
    this.#streamsPaused += change;
  }

  async page(): Promise<{ text: string; contentType: string }> {
    return { text: await this.registry.metrics(), contentType: this.registry.contentType };
  }

  /** The values, for the page of a supervisor. */
  async read(): Promise<readonly ReadMetric[]> {
    return (await this.registry.getMetricsAsJSON()) as unknown as ReadMetric[];
  }

  /** Process and event-loop metrics have a constant cost, so only a server whose metrics can be read collects them. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }
}

function gauge(name: string, help: string, read: () => number, registers: Registry[]): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
