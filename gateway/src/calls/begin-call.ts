/** What every call begins with, and how one that produced nothing is recorded. */
import type { Principal } from '../access/principal.ts';
import type { Model } from '../catalog/model.ts';
import { Cancellation } from '../kernel/cancellation.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import type { CallReply } from './call-reply.ts';
import { AllRoutesFailed } from './call-upstream.ts';
import { type CallEnd, type CallFacts, type SettleTools, settleCall } from './settle-call.ts';

export interface CallRequest {
  readonly id: string;
  /** What the call holds of the budget of its key and space. */
  readonly lease: ByteLease;
  readonly principal: Principal;
  readonly reply: CallReply;
  readonly startedAt: number;
  readonly startedMs: number;
}

export interface BegunCall {
  readonly lease: ByteLease;
  readonly facts: CallFacts;
  readonly reply: CallReply;
  /** Cancelled when the caller leaves. */
  readonly cancellation: Cancellation;
}

/** Answers at once unless somebody has to be asked: for a limit a minute, or where what is known is too old. */
export function beginCall(
  asked: CallRequest,
  of: { model: Model; endpoint: string; streamed: boolean },
  tools: SettleTools,
): BegunCall | Promise<BegunCall> {
  // At once, before anybody is asked: while calls cannot be recorded there is nothing to wait for.
  tools.recorder.checkCanRecord();
  const admitting = tools.admission.checkSpending(asked.principal);
  return admitting === null ? enter(asked, of, tools) : admitting.then(() => enter(asked, of, tools));
}

function enter(
  asked: CallRequest,
  of: { model: Model; endpoint: string; streamed: boolean },
  tools: SettleTools,
): BegunCall | Promise<BegunCall> {
  // The last to be asked, because it counts those it lets pass.
  const admitting = tools.rates.countRequest(asked.principal);
  return admitting === null ? begin(asked, of, tools) : admitting.then(() => begin(asked, of, tools));
}

function begin(
  { id, principal, lease, reply, startedAt, startedMs }: CallRequest,
  of: { model: Model; endpoint: string; streamed: boolean },
  tools: SettleTools,
): BegunCall {
  const headers = tools.rates.headers(principal);
  if (headers !== null) reply.onHead(headers);
  const cancellation = new Cancellation();
  reply.onGone(() => cancellation.cancel());
  return { facts: { id, principal, startedAt, startedMs, ...of }, lease, reply, cancellation };
}

/** Runs a call to its end. Where nothing was produced nothing is owed, but that it was tried is recorded. */
export async function finishCall(
  call: BegunCall,
  work: () => Promise<void>,
  tools: SettleTools,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AllRoutesFailed)) throw error;
    // The record need not hold up the error.
    recordFailure(call, error, tools);
    throw error.problem;
  }
}

function recordFailure(call: BegunCall, failure: AllRoutesFailed, tools: SettleTools): void {
  const { problem, route, attempts } = failure;
  const end: CallEnd = {
    outcome: 'failed',
    // A caller who left broke nothing, and neither did the provider.
    problem: call.reply.gone ? null : problem.code,
    route,
    attempts,
    finishReason: null,
    usage: null,
    usageSource: 'none',
    firstByteMs: null,
  };
  tools.background.run('record a failed call', () => settleCall(call.facts, end, tools));
}
