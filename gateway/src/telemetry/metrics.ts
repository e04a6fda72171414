/** The metrics of the gateway, for Prometheus. docs/operating.md lists their names. */
import { Counter, collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client';
import { AlertMetrics } from './alert-metrics.ts';
import { CallMetrics } from './call-metrics.ts';
import { type MetricSources, registerGauges } from './gauges.ts';
import { type EndedRequest, RequestMetrics } from './request-metrics.ts';
import { type MetricsPage, type ReadMetric, writeMetrics } from './write-metrics.ts';

export class Metrics {
  readonly registry = new Registry();
  readonly calls = new CallMetrics();
  readonly alerts: AlertMetrics;
  readonly #requests = new RequestMetrics();
  readonly #groupCalls: Histogram;
  readonly #groupSeconds: Histogram;
  readonly #commitTroubles: Counter;
  readonly #backgroundFailures: Counter<'task'>;
  readonly #notKept: Counter<'reason'>;
  readonly #settlements: Counter<'kind' | 'result'>;
  readonly #repeats: Counter<'how'>;
  readonly #spans: Counter<'result'>;
  #streamsPaused = 0;

  constructor(sources: MetricSources) {
    const registers = [this.registry];
    for (const metric of [...this.#requests.metrics, ...this.calls.metrics])
      this.registry.registerMetric(metric as unknown as Metric);
    this.alerts = new AlertMetrics(registers);
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
    this.#settlements = new Counter({
      name: 'tollgate_settlements_total',
      help: 'Batches and videos whose settlement ended, by kind and result.',
      labelNames: ['kind', 'result'],
      registers,
    });
    this.#repeats = new Counter({
      name: 'tollgate_repeated_calls_total',
      help: 'Requests with an Idempotency-Key that got the answer of an earlier one: replayed, joined or resumed.',
      labelNames: ['how'],
      registers,
    });
    this.#spans = new Counter({
      name: 'tollgate_spans_total',
      help: 'Spans of traces that were exported or dropped.',
      labelNames: ['result'],
      registers,
    });
    registerGauges({ ...sources, streamsPaused: () => this.#streamsPaused }, registers);
  }

  requestEnded(endpoint: string, request: EndedRequest): void {
    this.#requests.ended(endpoint, request);
  }

  requestFailed(endpoint: string, error: { readonly model: string; readonly code: string }): void {
    this.#requests.failed(endpoint, error);
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

  settled(kind: 'batch' | 'video', result: string): void {
    this.#settlements.inc({ kind, result });
  }

  callRepeated(how: 'replayed' | 'joined' | 'resumed'): void {
    this.#repeats.inc({ how });
  }

  spansEnded(result: 'exported' | 'dropped', spans: number): void {
    this.#spans.inc({ result }, spans);
  }

  streamsPausedChanged(change: number): void {
    this.#streamsPaused += change;
  }

  async page(accept: string): Promise<MetricsPage> {
    return await writeMetrics(await this.read(), accept);
  }

  /** The values, for the page and for a supervisor. */
  async read(): Promise<readonly ReadMetric[]> {
    return (await this.registry.getMetricsAsJSON()) as unknown as ReadMetric[];
  }

  /** Process and event-loop metrics have a constant cost, so only a server whose metrics can be read collects them. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }
}
