/** The numbers an operator watches, in Prometheus form. Names are listed in docs/operating.md. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { DurationHistogram, RequestCounter } from './request-metrics.ts';

/** What is read when somebody looks. */
export interface MetricSources {
  readonly inFlight: () => number;
  readonly openRoutes: () => number;
  readonly callersHeldBack: () => number;
  readonly redisAway: () => number;
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
      'Time from the first byte of a request to the last of its answer.',
    );
    this.registry.registerMetric(this.#requests as unknown as Metric);
    this.registry.registerMetric(this.#duration as unknown as Metric);
    this.#groupCalls = new Histogram({
      name: 'tollgate_commit_group_calls',
      help: 'Calls that shared one commit.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
      registers,
    });
    this.#groupSeconds = new Histogram({
      name: 'tollgate_commit_seconds',
      help: 'Time a commit of calls took.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2, 10],
      registers,
    });
    this.#commitTroubles = new Counter({
      name: 'tollgate_commit_troubles_total',
      help: 'Commits of calls that failed and were sent again or given up.',
      registers,
    });
    gauge(
      'tollgate_bytes_in_flight',
      'Bytes that calls hold of the budget: bodies, what is made of them, and answers.',
      () => sources.bytes().held,
      registers,
    );
    gauge(
      'tollgate_bytes_waiting',
      'Calls that wait for room in the budget.',
      () => sources.bytes().waiting,
      registers,
    );
    gauge(
      'tollgate_bytes_refused',
      'Calls refused because there was no room in the budget, since the start.',
      () => sources.bytes().refused,
      registers,
    );
    this.#backgroundFailures = new Counter({
      name: 'tollgate_background_failures_total',
      help: 'Work that nobody waits for and that failed, by its name.',
      labelNames: ['task'],
      registers,
    });
    this.#notKept = new Counter({
      name: 'tollgate_responses_not_kept_total',
      help: 'Responses that were answered with "store": false because they could not be kept, by reason.',
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
      'Routes that are closed for everybody, or fail for several callers at once.',
      sources.openRoutes,
      registers,
    );
    gauge(
      'tollgate_callers_held_back',
      'Callers that are kept from a route by their own failures.',
      sources.callersHeldBack,
      registers,
    );
    gauge(
      'tollgate_redis_away',
      'Whether limits a minute are counted without the Redis that is configured: 1 or 0.',
      sources.redisAway,
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

  /** Process and event-loop numbers cost a little all the time, so only a server asks for them. */
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
