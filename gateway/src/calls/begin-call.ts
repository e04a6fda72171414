/** How every call begins, and how a call that produced nothing is recorded. */
import type { Principal } from '../access/principal.ts';
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { Cancellation } from '../kernel/cancellation.ts';
import type { Problem, UpstreamReport } from '../kernel/problem.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import type { AdmittedCost } from '../metering/admission.ts';
import type { Hold } from '../metering/purses/hold.ts';
import type { RequestTrace } from '../telemetry/trace.ts';
import type { Attributed, CallTags } from './attribute-call.ts';
import type { CallReply, ReplyHeaders } from './call-reply.ts';
import { AllRoutesFailed } from './call-upstream.ts';
import { type CallEnd, type CallFacts, type SettleTools, settleCall } from './settle-call.ts';

export interface CallRequest {
  readonly id: string;
  /** Its share of the memory budget of its key and space. */
  readonly lease: ByteLease;
  readonly principal: Principal;
  readonly reply: CallReply;
  readonly startedAt: number;
  readonly startedMs: number;
  /** Absent if nothing but the request itself and the rules of its key attribute it. */
  readonly tags?: CallTags | null;
  /** Absent for lines of batches. */
  readonly trace?: RequestTrace | null;
}

export interface StartedCall {
  readonly lease: ByteLease;
  readonly facts: CallFacts;
  readonly reply: CallReply;
  /** Cancelled when the caller disconnects. */
  readonly cancellation: Cancellation;
}

interface BegunWith extends Pick<CallFacts, 'model' | 'requested' | 'endpoint' | 'streamed'> {
  /** What it may cost. */
  readonly cost: Pick<AdmittedCost, 'atMost' | 'fit'>;
  /** Known before it is admitted, because it can limit it. */
  readonly attributed: Attributed;
  /** Sent with the answer. */
  readonly headers?: (() => ReplyHeaders) | undefined;
}

/** Returns a promise only if Redis or the database has to be asked: for a per-minute limit, or for units. */
export function beginCall(
  asked: CallRequest,
  of: BegunWith,
  tools: SettleTools,
): StartedCall | Promise<StartedCall> {
  // First, because it needs no I/O: a call that could not be recorded must not start.
  tools.recorder.checkCanRecord();
  const holding = tools.admission.admit(asked.principal, {
    model: of.model.code,
    cost: of.cost,
    budgets: of.attributed.budgets,
  });
  return holding instanceof Promise
    ? holding.then((hold) => enter(asked, of, hold, tools))
    : enter(asked, of, holding, tools);
}

function enter(
  asked: CallRequest,
  of: BegunWith,
  hold: Hold,
  tools: SettleTools,
): StartedCall | Promise<StartedCall> {
  try {
    // Last, because it counts the call.
    const admitting = tools.rates.countRequest(asked.principal);
    if (admitting === null) return begin(asked, of, hold, tools);
    return admitting.then(
      () => begin(asked, of, hold, tools),
      (error: unknown) => {
        hold.release();
        throw error;
      },
    );
  } catch (error) {
    hold.release();
    throw error;
  }
}

function begin(
  { id, principal, lease, reply, startedAt, startedMs, trace = null }: CallRequest,
  { model, requested, endpoint, streamed, attributed, headers: ownHeaders }: BegunWith,
  hold: Hold,
  tools: SettleTools,
): StartedCall {
  const headers = tools.rates.headers(principal);
  if (ownHeaders !== undefined) reply.onHead(() => ({ ...headers?.(), ...ownHeaders() }));
  else if (headers !== null) reply.onHead(headers);
  const cancellation = new Cancellation();
  reply.onGone(() => cancellation.cancel());
  // Named one by one: every call comes here, and the rest of an object is copied more slowly.
  const facts: CallFacts = {
    id,
    principal,
    hold,
    endpoint,
    model,
    requested,
    streamed,
    attribution: attributed.attribution,
    budgets: attributed.budgets,
    startedAt,
    startedMs,
    trace,
  };
  return { facts, lease, reply, cancellation };
}

/** Runs a call to its end. A call that produced nothing is recorded as failed, free of charge. */
export async function finishCall(
  call: StartedCall,
  work: () => Promise<void>,
  tools: SettleTools,
): Promise<void> {
  const { hold } = call.facts;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AllRoutesFailed)) throw error;
    // The error does not wait for the record.
    const { stopped } = call.reply;
    recordFailure(call, error, tools);
    throw stopped ?? reported(error, call.facts);
  } finally {
    // Unless it was charged.
    hold.release();
  }
}

/** The problem, with the route that failed for those who operate it. */
function reported({ problem, route, attempts, answer }: AllRoutesFailed, { model }: CallFacts): Problem {
  if (route === null) return problem;
  problem.upstream = {
    ...reportOf(route, model, attempts),
    ...(answer !== null && { provider_status: answer.status, provider_said: answer.said }),
  };
  return problem;
}

export function reportOf(route: UpstreamRoute, model: Model, attempts: number): UpstreamReport {
  const { id, provider, upstreamModel } = route;
  return { provider, route: id, model: model.code, upstream_model: upstreamModel, attempts };
}

function recordFailure(call: StartedCall, failure: AllRoutesFailed, tools: SettleTools): void {
  const { problem, route, attempts, tried } = failure;
  const end: CallEnd = {
    outcome: 'failed',
    // A caller that disconnected is not an error.
    problem: call.reply.stopped?.code ?? (call.reply.gone ? null : problem.code),
    route,
    attempts,
    tried,
    finishReason: null,
    usage: null,
    usageSource: 'none',
    firstByteMs: null,
  };
  tools.background.run('record a failed call', () => settleCall(call.facts, end, tools));
}
