/**
 * What is measured of model calls, by model, route, provider and endpoint. All names come from the catalogue. The series
 * of a route are looked up by its id, so that a call makes no label objects and hashes no labels.
 */
import { type ProblemCode, problemCodeEntry } from '../kernel/problem-codes.ts';
import { addUnits, type Units } from '../kernel/units.ts';
import type {
  CallMeter,
  MeteredCall,
  MeteredRoute,
  MeteredTokens,
  QueueResult,
  SpaceClass,
} from './call-meter.ts';
import {
  type CounterSeries,
  type HistogramSeries,
  type ObservedTrace,
  OTHER,
  SeriesCounter,
  SeriesHistogram,
  UnitsCounter,
  type UnitsSeries,
} from './series.ts';

/** Routes times endpoints; a larger catalogue is counted as `other`. */
const ROUTES_MAX = 500;
const SERIES_MAX = 5_000;
/** The label value where there is none. */
export const NONE = 'none';
/** The endpoint of lines that our workers run, and of charges of batches. */
export const BATCH = 'batch';
const TOKEN_KINDS = ['input', 'cached_input', 'cache_write', 'output', 'reasoning'] as const;
const ROUTE_LABELS = ['model', 'route', 'provider', 'endpoint'];
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const FIRST_TOKEN_SECONDS = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60];

interface ClassSeries {
  readonly labels: readonly string[];
  /** By outcome and problem. */
  readonly calls: Map<string, CounterSeries>;
  readonly tokens: Array<CounterSeries | undefined>;
  readonly units: UnitsSeries;
}

interface RouteSeries {
  readonly provider: string;
  readonly labels: readonly string[];
  readonly seconds: HistogramSeries;
  firstToken: HistogramSeries | null;
  readonly classes: Partial<Record<SpaceClass, ClassSeries>>;
}

interface AttemptSeries {
  readonly provider: string;
  readonly outcomes: Map<string, CounterSeries>;
}

export class CallMetrics implements CallMeter {
  readonly #calls = new SeriesCounter({
    name: 'tollgate_calls_total',
    help: 'Model calls that have ended, by outcome and by the status that belongs to it.',
    labels: [...ROUTE_LABELS, 'space_class', 'outcome', 'status'],
    seriesMax: SERIES_MAX,
  });
  readonly #tokens = new SeriesCounter({
    name: 'tollgate_tokens_total',
    help: 'Tokens of model calls; the kinds do not overlap.',
    labels: [...ROUTE_LABELS, 'space_class', 'kind'],
    seriesMax: SERIES_MAX,
  });
  readonly #units = new UnitsCounter({
    name: 'tollgate_units_charged_total',
    help: 'Units charged for calls, batches and videos.',
    labels: [...ROUTE_LABELS, 'space_class'],
    seriesMax: SERIES_MAX,
  });
  readonly #unpriced = new SeriesCounter({
    name: 'tollgate_unpriced_calls_total',
    help: 'Calls, lines and videos whose price is unknown, so that nothing was charged.',
    labels: [...ROUTE_LABELS, 'space_class'],
    seriesMax: SERIES_MAX,
  });
  readonly #seconds = new SeriesHistogram({
    name: 'tollgate_call_seconds',
    help: 'Duration of a call, from its request to the end of the answer of the provider.',
    labels: ROUTE_LABELS,
    buckets: CALL_SECONDS,
  });
  readonly #firstToken = new SeriesHistogram({
    name: 'tollgate_first_token_seconds',
    help: 'Time from the request to the first byte of a streamed answer.',
    labels: ROUTE_LABELS,
    buckets: FIRST_TOKEN_SECONDS,
  });
  readonly #attempts = new SeriesCounter({
    name: 'tollgate_attempts_total',
    help: 'Requests to providers for calls: answered, or why not.',
    labels: ['model', 'route', 'provider', 'outcome'],
    seriesMax: SERIES_MAX,
  });
  readonly #fallbacks = new SeriesCounter({
    name: 'tollgate_fallbacks_total',
    help: 'Calls that were sent to this route because another one failed.',
    labels: ['model', 'route', 'provider'],
  });
  readonly #modelFallbacks = new SeriesCounter({
    name: 'tollgate_model_fallbacks_total',
    help: 'Calls that were sent to another model, by why the model before it could not answer.',
    labels: ['model', 'to', 'reason'],
    seriesMax: SERIES_MAX,
  });
  readonly #implausible = new SeriesCounter({
    name: 'tollgate_implausible_usage_total',
    help: 'Answers whose provider reported more tokens than the model or the request can have; they were counted here.',
    labels: ['model', 'route', 'provider'],
    seriesMax: SERIES_MAX,
  });
  readonly #queued = new SeriesCounter({
    name: 'tollgate_route_queue_total',
    help: 'Calls that found a route with concurrency_max full, by how their wait ended.',
    labels: ['model', 'route', 'result'],
    seriesMax: SERIES_MAX,
  });
  /** By route, then by endpoint. */
  readonly #routes = new Map<string, Map<string, RouteSeries>>();
  readonly #attempted = new Map<string, AttemptSeries>();
  #routeSeries = 0;

  get metrics(): ReadonlyArray<SeriesCounter | UnitsCounter | SeriesHistogram> {
    const counters = [this.#calls, this.#tokens, this.#units, this.#unpriced];
    const routing = [this.#attempts, this.#fallbacks, this.#modelFallbacks, this.#queued];
    return [...counters, this.#implausible, this.#seconds, this.#firstToken, ...routing];
  }

  called(
    call: MeteredCall,
    route: MeteredRoute | null,
    spaceClass: SpaceClass,
    trace: ObservedTrace | null,
  ): UnitsSeries {
    const series = this.#routeOf(call, call.endpoint, route);
    return this.#count(call, series, spaceClass, trace);
  }

  /** Lines are calls of the endpoint `batch`. They are charged with their batch. */
  readonly ofBatches: CallMeter = {
    called: (call, route, spaceClass, trace) => {
      this.#count(call, this.#routeOf(call, BATCH, route), spaceClass, trace);
      return null;
    },
    attempted: (route, model, outcome) => this.attempted(route, model, outcome),
    fellBack: (route, model) => this.fellBack(route, model),
    queued: (route, model, result) => this.queued(route, model, result),
    implausible: (route, model) => this.implausible(route, model),
    changedModel: (from, to, reason) => this.changedModel(from, to, reason),
  };

  attempted({ id, provider }: MeteredRoute, model: string, outcome: string): void {
    let series = this.#attempted.get(id);
    // A new configuration may give the route to another provider.
    if (series === undefined || series.provider !== provider) {
      series = { provider, outcomes: new Map() };
      this.#attempted.set(id, series);
    }
    let attempts = series.outcomes.get(outcome);
    if (attempts === undefined) {
      attempts = this.#attempts.of(model, id, provider, outcome);
      series.outcomes.set(outcome, attempts);
    }
    attempts.value++;
  }

  fellBack({ id, provider }: MeteredRoute, model: string): void {
    this.#fallbacks.of(model, id, provider).value++;
  }

  queued({ id }: MeteredRoute, model: string, result: QueueResult): void {
    this.#queued.of(model, id, result).value++;
  }

  implausible({ id, provider }: MeteredRoute, model: string): void {
    this.#implausible.of(model, id, provider).value++;
  }

  changedModel(from: string, to: string, reason: string): void {
    this.#modelFallbacks.of(from, to, reason).value++;
  }

  /** A batch or a video was charged. */
  charged(units: Units, of: { model: string; endpoint: string; spaceClass: SpaceClass }): void {
    const series = this.#units.of(of.model, NONE, NONE, of.endpoint, of.spaceClass);
    series.units = addUnits(series.units, units);
  }

  unpriced(of: { model: string; endpoint: string; spaceClass: SpaceClass }): void {
    this.#unpriced.of(of.model, NONE, NONE, of.endpoint, of.spaceClass).value++;
  }

  #count(
    call: MeteredCall,
    series: RouteSeries,
    spaceClass: SpaceClass,
    trace: ObservedTrace | null,
  ): UnitsSeries {
    const own = series.classes[spaceClass] ?? this.#classOf(series, spaceClass);
    this.#countOutcome(call, own);
    if (call.usage !== null) {
      this.#countTokens(call.usage, own);
      if (call.charge === null) this.#unpriced.of(...own.labels).value++;
    }
    observe(series.seconds, call.durationMs, call.chargedAt, trace);
    if (call.firstByteMs !== null) {
      series.firstToken ??= this.#firstToken.of(...series.labels);
      observe(series.firstToken, call.firstByteMs, call.chargedAt, trace);
    }
    return own.units;
  }

  #routeOf(call: MeteredCall, endpoint: string, route: MeteredRoute | null): RouteSeries {
    // A call that no route could serve has no route.
    const id = route === null ? `${NONE} ${call.model}` : route.id;
    let endpoints = this.#routes.get(id);
    if (endpoints === undefined) {
      endpoints = new Map();
      this.#routes.set(id, endpoints);
    }
    const provider = route?.provider ?? NONE;
    const found = endpoints.get(endpoint);
    if (found !== undefined && found.provider === provider) return found;
    const full = found === undefined && this.#routeSeries >= ROUTES_MAX;
    const labels = full ? [OTHER, OTHER, OTHER, OTHER] : [call.model, route?.id ?? NONE, provider, endpoint];
    const seconds = this.#seconds.of(...labels);
    const series: RouteSeries = { provider, labels, seconds, firstToken: null, classes: {} };
    endpoints.set(endpoint, series);
    if (!full) this.#routeSeries++;
    return series;
  }

  #classOf(series: RouteSeries, spaceClass: SpaceClass): ClassSeries {
    const labels = [...series.labels, spaceClass];
    const made: ClassSeries = { labels, calls: new Map(), tokens: [], units: this.#units.of(...labels) };
    series.classes[spaceClass] = made;
    return made;
  }

  #countOutcome({ outcome, problem }: MeteredCall, own: ClassSeries): void {
    const key = problem === null ? outcome : `${outcome} ${problem}`;
    let calls = own.calls.get(key);
    if (calls === undefined) {
      calls = this.#calls.of(...own.labels, outcome, statusOf(outcome, problem));
      own.calls.set(key, calls);
    }
    calls.value++;
  }

  #countTokens(usage: MeteredTokens, own: ClassSeries): void {
    const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage;
    this.#addTokens(own, 0, inputTokens - cachedInputTokens - cacheWriteTokens);
    this.#addTokens(own, 1, cachedInputTokens);
    this.#addTokens(own, 2, cacheWriteTokens);
    this.#addTokens(own, 3, outputTokens - reasoningTokens);
    this.#addTokens(own, 4, reasoningTokens);
  }

  /** `kind`: its place in TOKEN_KINDS. */
  #addTokens(own: ClassSeries, kind: number, count: number): void {
    if (count <= 0) return;
    let series = own.tokens[kind];
    if (series === undefined) {
      series = this.#tokens.of(...own.labels, TOKEN_KINDS[kind] as string);
      own.tokens[kind] = series;
    }
    series.value += count;
  }
}

/** The status of the error, if there was one; 499: the caller disconnected. */
function statusOf(outcome: MeteredCall['outcome'], problem: ProblemCode | null): string {
  if (problem !== null) return String(problemCodeEntry(problem).status);
  return outcome === 'completed' ? '200' : '499';
}

function observe(histogram: HistogramSeries, ms: number, at: number, trace: ObservedTrace | null): void {
  if (trace === null) histogram.observe(ms / 1000);
  else histogram.observeTraced(ms / 1000, trace, at);
}
