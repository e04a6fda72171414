/** The numbers an operator watches, in Prometheus form. Names are listed in docs/operating.md. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'endpoint' | 'status'>;
  readonly #duration: Histogram<'endpoint'>;
  readonly #groupCalls: Histogram;
  readonly #groupSeconds: Histogram;
  readonly #commitTroubles: Counter;
  /** Label look-ups are slow; a pair seen before goes straight to its counter. */
  readonly #requestCounters = new Map<string, { inc(): void }>();
  readonly #durations = new Map<string, { observe(value: number): void }>();

  constructor(sources: { inFlight: () => number; openRoutes: () => number }) {
    const registers = [this.registry];
    this.#requests = new Counter({
      name: 'tollgate_requests_total',
      help: 'Requests answered, by endpoint and status.',
      labelNames: ['endpoint', 'status'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'tollgate_request_seconds',
      help: 'Time from the first byte of a request to the last of its answer.',
      labelNames: ['endpoint'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
      registers,
    });
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
    gauge('tollgate_requests_in_flight', 'Requests being answered.', sources.inFlight, registers);
    gauge(
      'tollgate_routes_open',
      'Routes the circuit breaker keeps calls away from.',
      sources.openRoutes,
      registers,
    );
  }

  requestEnded(request: { endpoint: string; status: number; durationMs: number }): void {
    const { endpoint, status, durationMs } = request;
    const name = `${endpoint} ${status}`;
    let counter = this.#requestCounters.get(name);
    if (counter === undefined) {
      counter = this.#requests.labels(endpoint, String(status));
      this.#requestCounters.set(name, counter);
    }
    counter.inc();
    let duration = this.#durations.get(endpoint);
    if (duration === undefined) {
      duration = this.#duration.labels(endpoint);
      this.#durations.set(endpoint, duration);
    }
    duration.observe(durationMs / 1000);
  }

  groupCommitted(group: { calls: number; durationMs: number }): void {
    this.#groupCalls.observe(group.calls);
    this.#groupSeconds.observe(group.durationMs / 1000);
  }

  commitTrouble(): void {
    this.#commitTroubles.inc();
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
