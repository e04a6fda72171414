/**
 * Gets an answer from one of a model's routes. Retries, and falls back to other routes, only before the first byte
 * of an answer is sent: on connection errors, 408, 429 and 5xx, with backoff.
 */
import type { UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { randomFraction } from '../kernel/ids.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { CallAttempt, SkipReason } from '../metering/call-record.ts';
import { backoffMs } from '../net/backoff.ts';
import type { ProviderApi } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { type AttemptTools, attemptCall, attemptPlace } from './attempt-call.ts';
import type { FailedAttempt } from './failed-attempt.ts';
import { type LeaveRoute, RouteLoad } from './route-load.ts';
import { type RouteTarget, targetsOf } from './route-target.ts';
import type { CallUpstream, PreparedRequest } from './upstream-request.ts';

export const UPSTREAM_ATTEMPTS_MAX = 3;
const BACKOFF = { firstMs: 100, maxMs: 2_000 };
/** A provider that asks for a longer wait is not tried again by the same call. */
const RETRY_AFTER_MS_MAX = 2_000;
/** For callers of routes that cannot be used now. */
const RETRY_LATER_MS = 2_000;

export type UpstreamTools = AttemptTools;

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
  const run = new UpstreamRun(request, tools);
  for (let round = 0; round < UPSTREAM_ATTEMPTS_MAX; round++) {
    const before = run.attempts;
    if (await run.tryAll()) return;
    // Nothing was sent, so another round would not change anything.
    if (run.attempts === before || run.attempts >= UPSTREAM_ATTEMPTS_MAX) break;
  }
  throw run.failure();
}

/** How to leave a route again; null: its calls are not counted. */
type Entered = LeaveRoute | null | 'busy';

class UpstreamRun<Api extends ProviderApi> {
  attempts = 0;
  readonly #request: CallUpstream<Api>;
  readonly #tools: UpstreamTools;
  readonly #targets: ReadonlyArray<RouteTarget<Api>>;
  readonly #tried: CallAttempt[];
  #problem: Problem | null = null;
  /** Why a route cannot serve the call. */
  #unable: Problem | null = null;
  #last: RouteTarget<Api> | null = null;
  #answer: AllRoutesFailed['answer'] = null;
  #skipped: SkipReason | null = null;

  constructor(request: CallUpstream<Api>, tools: UpstreamTools) {
    this.#request = request;
    this.#tools = tools;
    this.#targets = targetsOf(request, tools);
    this.#tried = request.log?.tried ?? [];
  }

  /** Tries each route once, in their order. True if an answer has begun. */
  async tryAll(): Promise<boolean> {
    /** A route that failed for a reason that another key does not change. */
    let failed: UpstreamRoute | null = null;
    for (const target of this.#targets) {
      if (this.attempts >= UPSTREAM_ATTEMPTS_MAX) return false;
      if (target.route === failed) continue;
      const failure = await this.#tryOne(target);
      if (failure === null) return true;
      if (failure !== 'skipped' && failure.status !== 401 && failure.status !== 429) failed = target.route;
    }
    return false;
  }

  failure(): AllRoutesFailed | Problem {
    // A route that was skipped could have served it.
    if (this.#problem === null && this.#unable !== null && this.#skipped === null)
      return this.#request.log?.elsewhere ? this.#allFailed(this.#unable) : this.#unable;
    return this.#allFailed(this.#problem ?? unavailable(this.#skipped));
  }

  async #tryOne(target: RouteTarget<Api>): Promise<FailedAttempt | 'skipped' | null> {
    const { health } = this.#tools;
    const { route } = target;
    const prepared = target.prepare();
    if (prepared instanceof Problem) return this.#cannot(prepared);
    if (target.notBeforeMs - this.#tools.clock.elapsedMs() > RETRY_AFTER_MS_MAX) return 'skipped';
    if (!health.allows(route.id, target.caller)) return this.#skip(target, 'circuit_open');
    // No await in the usual case: between choosing a route and entering it, other calls would choose the same.
    const pausing = this.#backOff(target);
    if (pausing !== null) await pausing;
    const unready = prepared.ready === undefined ? null : await target.makeReady(health);
    if (unready !== null) return this.#cannot(unready);
    const entering = this.#enter(target);
    const leave = entering instanceof Promise ? await entering : entering;
    if (leave === 'busy') {
      health.undecided(route.id, target.caller);
      return this.#skip(target, 'busy');
    }
    const elsewhere = this.#last === null ? this.#skipped !== null : this.#last.route !== route;
    if (elsewhere) this.#tools.meter.fellBack(route, this.#request.model.code);
    this.#last = target;
    return await this.#send(target, prepared, leave);
  }

  async #send(
    target: RouteTarget<Api>,
    prepared: PreparedRequest<Api>,
    leave: LeaveRoute | null,
  ): Promise<FailedAttempt | null> {
    const { cancellation, untilMs } = this.#request;
    let failure = await this.#attempt(target, prepared, leave);
    if (failure?.outdated === true && !cancellation.cancelled) {
      const again =
        (await target.makeReady(this.#tools.health)) === null ? await this.#enter(target) : 'busy';
      if (again !== 'busy') failure = await this.#attempt(target, prepared, again);
    }
    if (failure === null) return null;
    this.#problem = failure.problem;
    this.#answer = shownAnswer(failure, this.#tools.providers);
    const late = this.#tools.clock.elapsedMs() >= untilMs;
    if (!this.#mayRetry(failure) || late || cancellation.cancelled) throw this.#allFailed(failure.problem);
    return failure;
  }

  /** Another key may be accepted. */
  #mayRetry({ retry, status }: FailedAttempt): boolean {
    return retry || (status === 401 && this.#last?.route.keys !== undefined);
  }

  #attempt(
    target: RouteTarget<Api>,
    prepared: PreparedRequest<Api>,
    leave: LeaveRoute | null,
  ): Promise<FailedAttempt | null> {
    this.attempts++;
    const attempts = this.#countAttempt();
    const at = { target, prepared, attempts, tried: this.#tried, leave, others: this.#targets.length > 1 };
    return attemptCall(this.#request, at, this.#tools);
  }

  /** The number of the attempt, of all models. */
  #countAttempt(): number {
    const { log } = this.#request;
    return log === undefined ? this.attempts : ++log.attempts;
  }

  /** Null: its calls are not counted. */
  #enter({ route, caller }: RouteTarget): Entered | Promise<Entered> {
    const { model, cancellation } = this.#request;
    if (!RouteLoad.counts(route, model)) return null;
    const { load, meter } = this.#tools;
    const entering = load.enter(route, caller, cancellation);
    if (entering instanceof Promise)
      return entering.then((leave) => {
        if (!cancellation.cancelled) meter.queued(route, model.code, leave === null ? 'too_long' : 'served');
        return leave ?? 'busy';
      });
    if (entering === null) meter.queued(route, model.code, 'full');
    return entering ?? 'busy';
  }

  #cannot(problem: Problem): 'skipped' {
    this.#unable ??= problem;
    return 'skipped';
  }

  #skip(target: RouteTarget, reason: SkipReason): 'skipped' {
    this.#skipped ??= reason;
    this.#tried.push({ status: null, outcome: reason, ms: 0, ...attemptPlace(target, this.#request) });
    return 'skipped';
  }

  /** Before a second attempt at the same place, and as long as its provider asked for. */
  #backOff(target: RouteTarget<Api>): Promise<void> | null {
    const { clock } = this.#tools;
    const asked = target.notBeforeMs - clock.elapsedMs();
    if (target !== this.#last && asked <= 0) return null;
    const delayMs = backoffMs(this.attempts - 1, { ...BACKOFF, random: randomFraction() });
    return pauseUnlessCancelled(Math.max(delayMs, asked), this.#request.cancellation, clock);
  }

  #allFailed(problem: Problem): AllRoutesFailed {
    const attempts = this.#request.log?.attempts ?? this.attempts;
    const at = { attempts, tried: this.#tried, route: this.#last?.route ?? null, answer: this.#answer };
    return new AllRoutesFailed(problem, at);
  }
}

function unavailable(skipped: SkipReason | null): Problem {
  if (skipped !== 'busy') return new Problem('upstream_unavailable', { retryAfterMs: RETRY_LATER_MS });
  return new Problem('rate_limit_exceeded', {
    detail: 'All routes of the model are busy. Send the request again later.',
    retryAfterMs: RETRY_LATER_MS,
  });
}

function shownAnswer(
  { status, said }: FailedAttempt,
  providers: Pick<ProviderRegistry, 'shownError'>,
): AllRoutesFailed['answer'] {
  return status === null || said === undefined ? null : { status, said: providers.shownError(said) };
}

function pauseUnlessCancelled(delayMs: number, cancellation: Cancellation, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(delayMs, resolve);
    cancellation.onCancel(() => {
      cancelTimer();
      resolve();
    });
  });
}
