/** Reports requests to the metrics and the traces. */
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { HttpRoute } from './define-route.ts';
import type { Exchange } from './exchange.ts';

export interface RequestObserver {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Null if traces are off. */
  readonly tracer: Tracer | null;
  /** Whether the catalogue has a model. */
  readonly isModel: (code: string) => boolean;
}

/** Health checks and pages have no trace. */
export function beginTrace(tracer: Tracer, exchange: Exchange, { endpoint }: HttpRoute): void {
  if (endpoint.credential === 'none') return;
  const { id, startedAt, startedMs, request } = exchange;
  const { traceparent: header } = request.headers;
  const traceparent = typeof header === 'string' ? header : undefined;
  const { method, path } = endpoint;
  exchange.trace = tracer.begin({ traceparent, method, path, startedAt, startedMs });
  exchange.trace.describe({ 'tollgate.request_id': id });
}

export function requestEnded(
  exchange: Exchange,
  endpoint: string,
  { clock, metrics }: RequestObserver,
): void {
  const { startedMs, response, trace } = exchange;
  const { statusCode: status } = response;
  const durationMs = clock.elapsedMs() - startedMs;
  metrics.requestEnded(endpoint, { status, durationMs, trace, endedAt: trace === null ? 0 : clock.now() });
  trace?.end(status);
}

export function requestFailed(
  { model, trace }: Exchange,
  { endpoint, problem }: { readonly endpoint: string; readonly problem: Problem },
  { metrics, isModel }: RequestObserver,
): void {
  const { code } = problem;
  metrics.requestFailed(endpoint, { model: modelLabel(model, isModel), code });
  trace?.describe({ 'tollgate.error_code': code });
}

/** Callers can send any code as a model; those of the catalogue are few. */
function modelLabel(model: string | null, isModel: (code: string) => boolean): string {
  if (model === null) return 'none';
  return isModel(model) ? model : 'unknown';
}
