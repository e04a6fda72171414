/** What a failed attempt means: the problem, whether another attempt may help, and the health of the route. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { Instant } from '../kernel/time.ts';
import type { CallAttempt } from '../metering/call-record.ts';
import type { Body } from '../net/collect-body.ts';
import { retryAfterMs } from '../net/rate-limit-headers.ts';
import type { ResponseHeaders } from '../net/response-head.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { ProviderApi } from '../providers/provider.ts';
import { providerProblem } from './provider-problem.ts';
import type { FailureCause, RouteHealth } from './route-health.ts';

export interface FailedAttempt {
  readonly problem: Problem;
  readonly retry: boolean;
  readonly outdated?: boolean;
  /** The status of the provider's answer; null if there was none. */
  readonly status: number | null;
  /** The body of that answer. */
  readonly said?: Buffer;
}

interface TriedRoute {
  readonly caller: string;
  readonly route: UpstreamRoute;
  readonly prepared: {
    readonly api: Pick<ProviderApi, 'problem'>;
    readonly outdated?: (status: number, body: Buffer) => boolean;
  };
}

/** An attempt as it is recorded. Null: it was answered. */
export function attemptOf(failure: FailedAttempt | null, ms: number): CallAttempt {
  if (failure === null) return { status: 200, outcome: 'answered', ms };
  return { status: failure.status, outcome: failure.problem.code, ms };
}

/** The provider answered with another status than 200. */
export function errorAnswer(
  status: number,
  headers: ResponseHeaders,
  answered: TriedRoute & {
    body: Body | UpstreamFailure;
    request: { readonly model: Model; readonly asWritten?: boolean };
    now: Instant;
  },
  health: RouteHealth,
): FailedAttempt {
  const { body, route, prepared, request, caller } = answered;
  const whole = body instanceof UpstreamFailure ? Buffer.alloc(0) : body.whole();
  const outdated = prepared.outdated?.(status, whole) === true;
  const retry = status === 408 || status === 429 || status >= 500;
  if (status !== 401) health.reached(route.id);
  // 429 means busy, not broken: an open breaker would turn a slow route into a closed one.
  if (status === 429 || outdated) health.undecided(route.id, caller);
  else {
    const cause = causeOf(status);
    if (cause === null) health.succeeded(route.id, caller);
    else health.failed(route.id, caller, cause);
  }
  const reported = prepared.api.problem(status, whole);
  const problem = withRetryAfter(
    providerProblem(reported, { route, ...request }),
    headers['retry-after'],
    answered.now,
  );
  return { problem, retry, outdated, status, said: whole };
}

/** Null if the route works. */
function causeOf(status: number): FailureCause | null {
  // Our own credentials are invalid, which no request can cause.
  if (status === 401) return 'route';
  // 403 may mean the same, but may also come from a firewall that rejects this one request.
  return status === 403 || status === 408 || status >= 500 ? 'request' : null;
}

/** The provider did not answer. */
export function noAnswer(
  failure: UpstreamFailure,
  { route, caller }: Pick<TriedRoute, 'route' | 'caller'>,
  health: RouteHealth,
): FailedAttempt {
  if (failure.kind === 'aborted') {
    health.undecided(route.id, caller);
    return { problem: new Problem('upstream_error', { cause: failure }), retry: false, status: null };
  }
  // A local shortage, such as open files, says nothing about the provider.
  if (failure.ours) health.undecided(route.id, caller);
  else health.failed(route.id, caller, failure.kind === 'connect' ? 'route' : 'request');
  const retry = failure.kind === 'connect' || failure.kind === 'reset';
  return { problem: failureProblem(failure), retry, status: null };
}

export function failureProblem(failure: UpstreamFailure): Problem {
  switch (failure.kind) {
    case 'timeout':
      return new Problem('upstream_timeout', { cause: failure });
    case 'connect':
      return new Problem('upstream_unavailable', { cause: failure });
    default:
      return new Problem('upstream_error', {
        detail:
          'The provider closed the connection before the answer was complete. Send the request again later.',
        cause: failure,
      });
  }
}

/** A longer one is a mistake. */
const RETRY_AFTER_MS_MAX = 3_600_000;

function withRetryAfter(problem: Problem, header: string | undefined, now: Instant): Problem {
  const waitMs = retryAfterMs(header, now);
  if (waitMs === null || waitMs > RETRY_AFTER_MS_MAX) return problem;
  const { code, detail, cause, param } = problem;
  return new Problem(code, { detail, cause, retryAfterMs: waitMs, ...(param !== null && { param }) });
}
