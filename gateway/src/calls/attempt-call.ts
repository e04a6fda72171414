/** One attempt to get an answer from a route, and what it says about the route. */
import type { UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { Clock } from '../kernel/time.ts';
import type { CallAttempt } from '../metering/call-record.ts';
import { BodyCollector } from '../net/collect-body.ts';
import { exhaustedMs } from '../net/rate-limit-headers.ts';
import type { ResponseHeaders } from '../net/response-head.ts';
import { type BodySink, type UpstreamCall, UpstreamFailure } from '../net/upstream-call.ts';
import type { ProviderApi } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { CallMeter } from '../telemetry/call-meter.ts';
import type { RequestTrace } from '../telemetry/trace.ts';
import { attemptOf, errorAnswer, type FailedAttempt, noAnswer } from './failed-attempt.ts';
import type { RouteHealth } from './route-health.ts';
import type { LeaveRoute, RouteLoad } from './route-load.ts';
import { KEY_REST_MS, REST_MS_DEFAULT, type RouteRests } from './route-rests.ts';
import type { RouteTarget } from './route-target.ts';
import type { CallUpstream, PreparedRequest } from './upstream-request.ts';

const ERROR_BODY_BYTES_MAX = 64 * 1024;

export interface AttemptTools {
  readonly providers: ProviderRegistry;
  readonly health: RouteHealth;
  readonly load: RouteLoad;
  readonly rests: RouteRests;
  readonly clock: Clock;
  readonly meter: CallMeter;
}

/** Null if an answer has begun. */
export function attemptCall<Api extends ProviderApi>(
  request: CallUpstream<Api>,
  at: {
    target: RouteTarget<Api>;
    prepared: PreparedRequest<Api>;
    attempts: number;
    tried: CallAttempt[];
    /** Whether the model has another route or key. */
    others: boolean;
    /** Called when the route is free again; null if its calls are not counted. */
    leave: LeaveRoute | null;
  },
  tools: AttemptTools,
): Promise<FailedAttempt | null> {
  const { target, prepared, attempts, tried, leave } = at;
  const { route, provider, caller } = target;
  const { api } = prepared;
  const failing = { route, caller, prepared };
  const startedMs = tools.clock.elapsedMs();
  if (request.cancellation.cancelled) {
    leave?.();
    return Promise.resolve(noAnswer(new UpstreamFailure('aborted'), failing, tools.health));
  }
  return new Promise((resolve) => {
    let call: UpstreamCall | null = null;
    const abort = (): void => call?.abort();
    const settle = (failure: FailedAttempt | null): void => {
      request.cancellation.onCancel(null);
      const ms = tools.clock.elapsedMs() - startedMs;
      if (failure !== null || tried.length > 0 || request.log !== undefined)
        tried.push({ ...attemptOf(failure, ms), ...attemptPlace(target, request) });
      if (failure !== null) leave?.();
      else if (leave !== null) tools.load.answered(route.id, ms);
      tools.meter.attempted(route, request.model.code, outcomeOf(failure, request.cancellation));
      if (failure !== null) request.trace?.attemptFailed(failure.problem.code, failure.status);
      resolve(failure);
    };
    const traceparent =
      request.trace === null ? undefined : startSpan(request.trace, request, { route, attempts }, tools);
    call = prepared.send({
      head(status, headers) {
        if (status === 200 && headers['content-encoding'] === undefined) {
          tools.health.succeeded(route.id, request.caller);
          if (at.others) restIfExhausted(target, headers, tools);
          settle(null);
          const opened = { route, provider, api, headers, call: call as UpstreamCall, attempts, tried };
          const sink = request.open(opened);
          return leave === null ? sink : leavingSink(sink, leave);
        }
        return new BodyCollector({
          bytesMax: ERROR_BODY_BYTES_MAX,
          onTooLong: abort,
          done(body) {
            const failure = errorAnswer(
              status,
              headers,
              { ...failing, body, request, now: tools.clock.now() },
              tools.health,
            );
            restAfter(failure, target, tools);
            settle(failure);
          },
        });
      },
      fail: (failure) => settle(noAnswer(failure, failing, tools.health)),
      untilMs: request.untilMs,
      traceparent,
    });
    request.cancellation.onCancel(abort);
  });
}

function outcomeOf(failure: FailedAttempt | null, { cancelled }: Cancellation): string {
  if (failure === null) return 'answered';
  // The caller disconnected, which says nothing about the provider.
  return cancelled ? 'cancelled' : failure.problem.code;
}

/** Returns the header for the provider, if its configuration asks for it. */
function startSpan(
  trace: RequestTrace,
  { operation, model }: Pick<CallUpstream<ProviderApi>, 'operation' | 'model'>,
  { route, attempts: attempt }: { route: UpstreamRoute; attempts: number },
  { providers }: AttemptTools,
): string | undefined {
  const provider = providers.traced(route.provider);
  const { id, upstreamModel } = route;
  const traceparent = trace.startAttempt({
    attempt,
    operation,
    route: id,
    model: model.code,
    upstreamModel,
    provider,
  });
  return provider.propagates ? traceparent : undefined;
}

/** Where an attempt was made. */
export function attemptPlace(
  { route, key }: RouteTarget,
  { log, model }: Pick<CallUpstream<ProviderApi>, 'log' | 'model'>,
): Pick<CallAttempt, 'route' | 'key' | 'model'> {
  return {
    route: route.id,
    ...(route.keys !== undefined && { key: key + 1 }),
    ...(log !== undefined && { model: model.code }),
  };
}

/** Nothing remains of a limit: the next call would be answered 429. */
function restIfExhausted(target: RouteTarget, headers: ResponseHeaders, tools: AttemptTools): void {
  const ms = exhaustedMs(headers, tools.clock.now());
  if (ms !== null) tools.rests.rest(target.restId, ms);
}

function restAfter({ status, problem }: FailedAttempt, target: RouteTarget, tools: AttemptTools): void {
  const { retryAfterMs } = problem;
  if (status === 429) tools.rests.rest(target.restId, retryAfterMs ?? REST_MS_DEFAULT);
  else if (status === 401 && target.route.keys !== undefined) tools.rests.rest(target.restId, KEY_REST_MS);
  else if (retryAfterMs !== null) tools.rests.rest(target.restId, retryAfterMs);
  if (retryAfterMs !== null) target.notBeforeMs = tools.clock.elapsedMs() + retryAfterMs;
}

/** Leaves the route when the answer ends, however it does. */
function leavingSink(sink: BodySink, leave: LeaveRoute): BodySink {
  return {
    data: (chunk) => sink.data(chunk),
    end() {
      leave();
      sink.end();
    },
    fail(failure) {
      leave();
      sink.fail(failure);
    },
  };
}
