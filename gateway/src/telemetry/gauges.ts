/** The metrics that are read when somebody asks for them, instead of being counted. */
import { Gauge, type Registry } from 'prom-client';
import { type PurseSources, registerPurses } from './purse-metrics.ts';
import { counter, gauge } from './read-metrics.ts';

/** 0: the route is used. 1: it fails for several callers at once. 2: nobody uses it. */
export type BreakerState = 0 | 1 | 2;

export interface RouteBreaker {
  readonly model: string;
  readonly route: string;
  readonly provider: string;
  readonly state: BreakerState;
}

/** Batches and videos of the whole installation that have not ended. */
export interface JobBacklog {
  readonly kind: string;
  readonly waiting: number;
  /** Those whose last attempt failed. */
  readonly failing: number;
  readonly oldestSeconds: number;
}

export interface InstallationBacklog {
  readonly jobs: readonly JobBacklog[];
  readonly quarantinedBatches: number;
  /** Age of the oldest alert that is not delivered. */
  readonly undeliveredSeconds: number;
}

export interface MetricSources {
  readonly build: { readonly version: string; readonly engine: string };
  readonly inFlight: () => number;
  readonly unread: () => number;
  readonly openRoutes: () => number;
  /** Calls that wait for a route. */
  readonly queued: () => number;
  readonly breakers: () => readonly RouteBreaker[];
  readonly callersHeldBack: () => number;
  readonly redisAway: () => number;
  readonly unmatchedMarkup: () => number;
  readonly logFollowers: () => number;
  /** Calls in the write-ahead file that are not in the database yet; null without such a file. */
  readonly pendingCalls: () => { readonly size: number; readonly ageMs: number } | null;
  /** Calls with an Idempotency-Key that this process runs, and the bytes of their answers so far. */
  readonly repeatable: () => { readonly running: number; readonly heldBytes: number };
  /** Calls whose callers left and that are not counted yet; `durable`: a crash does not lose them. */
  readonly leftCalls: () => { readonly calls: number; readonly durable: number };
  readonly purses: PurseSources;
  readonly bytes: () => { readonly held: number; readonly waiting: number; readonly refused: number };
  /** Null if it cannot be read now: the metrics are then left out, because an old number looks like a new one. */
  readonly backlog: () => Promise<InstallationBacklog | null>;
}

/** A breaker of each route, up to this number. */
const BREAKERS_MAX = 1_000;

export function registerGauges(
  sources: MetricSources & { readonly streamsPaused: () => number },
  registers: Registry[],
): void {
  gauge('tollgate_requests_in_flight', 'Requests being answered.', sources.inFlight, registers);
  gauge(
    'tollgate_streams_paused',
    'Streams that wait for their caller to read, or for their events to be stored.',
    sources.streamsPaused,
    registers,
  );
  gauge(
    'tollgate_answers_unread',
    'Answers that wait because their caller reads nothing.',
    sources.unread,
    registers,
  );
  gauge('tollgate_log_followers', 'Open log streams of projects.', sources.logFollowers, registers);
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
  gauge(
    'tollgate_left_calls',
    'Calls whose callers left before they were counted. What they cost at most is held.',
    () => sources.leftCalls().calls,
    registers,
  );
  gauge(
    'tollgate_left_calls_durable',
    'The same, if they are stored: they are charged even if the process dies.',
    () => sources.leftCalls().durable,
    registers,
  );
  gauge(
    'tollgate_repeatable_calls_running',
    'Calls with an Idempotency-Key that are running.',
    () => sources.repeatable().running,
    registers,
  );
  gauge(
    'tollgate_repeatable_answer_bytes',
    'Bytes of running answers that are kept for repeats and that the database does not have yet.',
    () => sources.repeatable().heldBytes,
    registers,
  );
  registerPurses(sources.purses, registers);
  registerPendingCalls(sources.pendingCalls, registers);
  registerBytes(sources.bytes, registers);
  registerBreakers(sources, registers);
  registerBacklog(sources.backlog, registers);
  new Gauge({
    name: 'tollgate_build_info',
    help: '1, with the version of the gateway and the engine of its database.',
    labelNames: ['version', 'engine'],
    registers,
  }).set({ ...sources.build }, 1);
}

function registerPendingCalls(pending: MetricSources['pendingCalls'], registers: Registry[]): void {
  gauge(
    'tollgate_pending_calls',
    'Calls that are durable in the write-ahead file and not in the database yet.',
    () => pending()?.size ?? 0,
    registers,
  );
  gauge(
    'tollgate_pending_calls_oldest_seconds',
    'How long the oldest of them has waited.',
    () => (pending()?.ageMs ?? 0) / 1000,
    registers,
  );
}

function registerBytes(bytes: MetricSources['bytes'], registers: Registry[]): void {
  gauge(
    'tollgate_bytes_in_flight',
    'Bytes that calls hold in memory: request bodies, what is made from them, and answers.',
    () => bytes().held,
    registers,
  );
  gauge('tollgate_bytes_waiting', 'Calls waiting for the memory budget.', () => bytes().waiting, registers);
  counter(
    {
      name: 'tollgate_memory_rejections_total',
      help: 'Calls rejected because the memory budget was full.',
    },
    () => [{ value: bytes().refused, labels: {} }],
    registers,
  );
}

function registerBreakers(sources: MetricSources, registers: Registry[]): void {
  gauge(
    'tollgate_routes_open',
    'Routes with an open circuit breaker, or failing for several callers at once.',
    sources.openRoutes,
    registers,
  );
  gauge(
    'tollgate_route_queue_waiting',
    'Calls that wait for a route with concurrency_max.',
    sources.queued,
    registers,
  );
  gauge(
    'tollgate_callers_held_back',
    'Callers whose own circuit breaker for a route is open.',
    sources.callersHeldBack,
    registers,
  );
  new Gauge({
    name: 'tollgate_breaker_state',
    help: 'The circuit breaker of each route: 0 closed, 1 failing for several callers at once, 2 open.',
    labelNames: ['model', 'route', 'provider'],
    registers,
    collect() {
      this.reset();
      for (const { state, ...labels } of sources.breakers().slice(0, BREAKERS_MAX)) this.set(labels, state);
    },
  });
}

/** These describe the installation, not this process. A supervisor shows the largest number, not one per process. */
function registerBacklog(backlog: MetricSources['backlog'], registers: Registry[]): void {
  const ofJobs = (name: string, help: string, read: (jobs: JobBacklog) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      aggregator: 'max',
      registers,
      async collect() {
        this.reset();
        for (const jobs of (await backlog())?.jobs ?? []) this.set({ kind: jobs.kind }, read(jobs));
      },
    });
  };
  ofJobs('tollgate_backlog_jobs', 'Batches and videos that have not ended.', ({ waiting }) => waiting);
  ofJobs(
    'tollgate_backlog_failing_jobs',
    'Batches and videos whose last step failed and is retried.',
    ({ failing }) => failing,
  );
  ofJobs(
    'tollgate_backlog_oldest_seconds',
    'Age of the oldest batch and of the oldest video that has not ended; 0 if there is none.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  const ofAll = (name: string, help: string, number: (backlog: InstallationBacklog) => number): void => {
    new Gauge({
      name,
      help,
      aggregator: 'max',
      registers,
      async collect() {
        const read = await backlog();
        // A gauge without labels is 0 until it is set; NaN says that the number is unknown.
        this.set(read === null ? Number.NaN : number(read));
      },
    });
  };
  ofAll(
    'tollgate_batches_quarantined',
    'Batches whose settlement is on hold until an operator resolves it.',
    ({ quarantinedBatches }) => quarantinedBatches,
  );
  ofAll(
    'tollgate_alerts_undelivered_seconds',
    'Age of the oldest alert that is not delivered and not given up; 0 if there is none.',
    ({ undeliveredSeconds }) => undeliveredSeconds,
  );
}
