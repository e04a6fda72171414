/**
 * Gets an answer from one of a model's routes. Retries, and falls back to other routes, only before the first byte
 * of an answer is sent: on connection errors, 408, 429 and 5xx, with backoff.
 */
import type { UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { randomFraction } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { CallAttempt } from '../metering/call-record.ts';
import { backoffMs } from '../net/backoff.ts';
import { BodyCollector } from '../net/collect-body.ts';
import { type UpstreamCall, UpstreamFailure } from '../net/upstream-call.ts';
import type { ProviderApi } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { CallMeter } from '../telemetry/call-meter.ts';
import type { RequestTrace } from '../telemetry/trace.ts';
import { attemptOf, errorAnswer, type FailedAttempt, noAnswer } from './failed-attempt.ts';
import type { RouteHealth } from './route-health.ts';
import { type RouteTarget, targetsOf } from './route-target.ts';
import type { CallUpstream, PreparedRequest } from './upstream-request.ts';

export const UPSTREAM_ATTEMPTS_MAX = 3;
const BACKOFF = { firstMs: 100, maxMs: 2_000 };
const ERROR_BODY_BYTES_MAX = 64 * 1024;

export interface UpstreamTools {
  readonly providers: ProviderRegistry;
  readonly health: RouteHealth;
  readonly clock: Clock;
  readonly meter: CallMeter;
}

/** The last error, and the attempts. */
export class AllRoutesFailed extends Error {
  override readonly name = 'AllRoutesFailed';
  readonly problem: Problem;
  readonly attempts: number;
  readonly tried: readonly CallAttempt[];
  readonly route: UpstreamRoute | null;
  /** The last error answer, as operators may see it; null: there was none. */
  readonly answer: { readonly status: number; readonly said: string } | null;
  constructor(
    problem: Problem,
    at: {
      attempts: number;
      tried: readonly CallAttempt[];
      route: UpstreamRoute | null;
      answer?: { readonly status: number; readonly said: string } | null;
    },
  ) {
    super(problem.message, { cause: problem });
    this.problem = problem;
    this.attempts = at.attempts;
    this.tried = at.tried;
    this.route = at.route;
    this.answer = at.answer ?? null;
  }
}

/**
 * Resolves when an answer has begun. Throws AllRoutesFailed if every attempt failed, or a Problem if no route can
 * serve the call.
 */
export async function callUpstream<Api extends ProviderApi>(
  request: CallUpstream<Api>,
  tools: UpstreamTools,
): Promise<void> {
  const targets = targetsOf(request, tools.providers);
  let problem: Problem | null = null;
  let unable: Problem | null = null;
  let attempts = 0;
  const tried: CallAttempt[] = [];
  let last: UpstreamRoute | null = null;
  let answer: AllRoutesFailed['answer'] = null;
  let skipped = false;
  for (let round = 0; attempts < UPSTREAM_ATTEMPTS_MAX && round < UPSTREAM_ATTEMPTS_MAX; round++) {
    for (const target of targets) {
      const { route } = target;
      if (attempts >= UPSTREAM_ATTEMPTS_MAX) continue;
      const prepared = target.prepare();
      if (prepared instanceof Problem) {
        unable ??= prepared;
        continue;
      }
      if (!tools.health.allows(route.id, request.caller)) {
        skipped = true;
        continue;
      }
      if (attempts > 0 && route === last) await backOff(attempts - 1, request.cancellation, tools.clock);
      const unready = prepared.ready === undefined ? null : await target.makeReady(tools.health);
      if (unready !== null) {
        unable ??= unready;
        continue;
      }
      if (last === null ? skipped : last !== route) tools.meter.fellBack(route, request.model.code);
      last = route;
      attempts++;
      let failure = await attempt(request, { target, prepared, attempts, tried }, tools);
      if (failure?.outdated === true && !request.cancellation.cancelled) {
        if ((await target.makeReady(tools.health)) === null)
          failure = await attempt(request, { target, prepared, attempts: ++attempts, tried }, tools);
      }
      if (failure === null) return;
      problem = failure.problem;
      answer = shownAnswer(failure, tools.providers);
      const late = tools.clock.elapsedMs() >= request.untilMs;
      const retry = failure.retry && !late && !request.cancellation.cancelled;
      if (!retry) throw new AllRoutesFailed(problem, { attempts, tried, route, answer });
    }
  }
  // A route that was skipped could have served it.
  if (problem === null && unable !== null && !skipped) throw unable;
  throw new AllRoutesFailed(problem ?? new Problem('upstream_unavailable', { retryAfterMs: 2_000 }), {
    ...{ attempts, tried, route: last, answer },
  });
}

function shownAnswer(
  { status, said }: FailedAttempt,
  providers: Pick<ProviderRegistry, 'shownError'>,
): AllRoutesFailed['answer'] {
  return status === null || said === undefined ? null : { status, said: providers.shownError(said) };
}

function backOff(failures: number, cancellation: Cancellation, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const delayMs = backoffMs(failures, { ...BACKOFF, random: randomFraction() });
    const cancelTimer = clock.after(delayMs, resolve);
    cancellation.onCancel(() => {
      cancelTimer();
      resolve();
    });
  });
}

/** One attempt. Null if an answer has begun. */
function attempt<Api extends ProviderApi>(
  request: CallUpstream<Api>,
  at: {
    target: RouteTarget<Api>;
    prepared: PreparedRequest<Api>;
    attempts: number;
    tried: CallAttempt[];
  },
  tools: UpstreamTools,
): Promise<FailedAttempt | null> {
  const { target, prepared, attempts, tried } = at;
  const { route, provider, caller } = target;
  const { api } = prepared;
  const failing = { route, caller, prepared };
  const startedMs = tools.clock.elapsedMs();
  if (request.cancellation.cancelled)
    return Promise.resolve(noAnswer(new UpstreamFailure('aborted'), failing, tools.health));
  return new Promise((resolve) => {
    let call: UpstreamCall | null = null;
    const abort = (): void => call?.abort();
    const settle = (failure: FailedAttempt | null): void => {
      request.cancellation.onCancel(null);
      if (failure !== null || tried.length > 0)
        tried.push(attemptOf(failure, tools.clock.elapsedMs() - startedMs));
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
          settle(null);
          return request.open({ route, provider, api, headers, call: call as UpstreamCall, attempts, tried });
        }
        return new BodyCollector({
          bytesMax: ERROR_BODY_BYTES_MAX,
          onTooLong: abort,
          done: (body) => settle(errorAnswer(status, headers, { ...failing, body, request }, tools.health)),
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
  { providers }: UpstreamTools,
): string | undefined {
  const provider = providers.traced(route.provider);
  const { id, upstreamModel } = route;
  const traceparent = trace.startAttempt({
    ...{ attempt, operation, route: id, model: model.code, upstreamModel, provider },
  });
  return provider.propagates ? traceparent : undefined;
}
