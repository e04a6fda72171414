/** A call whose answer is not streamed: it is read, priced, recorded and then sent. Used by all kinds of calls. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import type { CallOutcome, CallRecord } from '../metering/call-record.ts';
import type { LeftCall } from '../metering/left-calls.ts';
import { type Body, BodyCollector } from '../net/collect-body.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { Usage } from '../pricing/usage.ts';
import type { Provider, ProviderApi } from '../providers/provider.ts';
import type { ShownBody, WholeAnswer } from '../text/text-format.ts';
import type { CallSize } from './believable-usage.ts';
import type { CallReply, KeptReply, WholeReply } from './call-reply.ts';
import { type CallTools, replyHeaders } from './call-tools.ts';
import { AllRoutesFailed, callUpstream } from './call-upstream.ts';
import { type CountableTexts, countedUsage } from './counted-usage.ts';
import { failureProblem } from './failed-attempt.ts';
import { type FallbackHook, isRefusal } from './fallback-hook.ts';
import { type KeepOutput, keepOutput } from './keep-output.ts';
import { leaveCall } from './leave-call.ts';
import {
  type AnswerHold,
  type CallEnd,
  type CallFacts,
  reportedUsage,
  settleCall,
  type UsedUsage,
  withHeaderTier,
} from './settle-call.ts';
import { noteModel, operationOf } from './trace-call.ts';
import type { OpenedAnswer, PreparedRequest } from './upstream-request.ts';

export interface WholeCall<Api extends ProviderApi> {
  readonly lease: ByteLease;
  readonly facts: CallFacts;
  readonly reply: CallReply;
  readonly cancellation: Cancellation;
  prepare(route: UpstreamRoute, provider: Provider): PreparedRequest<Api> | Problem;
  /** Null if the body is not a valid answer; a Problem if it has nothing for the caller. */
  read(opened: OpenedAnswer<Api>, body: Body): WholeAnswer<ShownBody> | Problem | null;
  /** The texts of the prompt, for counting tokens if the provider did not. */
  promptTexts(): string[];
  /** Number of tokens that the prompt has as token ids. */
  readonly promptTokens?: number;
  /** Number of images in the prompt. */
  readonly images: number;
  /** What limits its usage. */
  readonly size: CallSize;
  readonly keep: KeepOutput | null;
  /** A line of a batch. */
  readonly asWritten?: boolean;
  /** The same for all turns of the conversation. */
  readonly conversation?: () => string;
  /** Absent if no other model may answer. */
  readonly fallback?: FallbackHook;
}

export async function runWhole<Api extends ProviderApi>(
  call: WholeCall<Api>,
  tools: CallTools,
): Promise<void> {
  const sentMs = tools.clock.elapsedMs();
  const { opened, body } = await wholeAnswer(call, tools);
  const receivedMs = tools.clock.elapsedMs();
  noteModel(call.facts.trace, body.pieces[0], opened.route);
  const answer = call.read(opened, body);
  if (answer === null || answer instanceof Problem) {
    throw new AllRoutesFailed(answer ?? unreadable(), opened);
  }
  if (call.fallback?.takesRefusals && isRefusal(answer.finishReason, answer.texts())) {
    if (await call.fallback.answerRefused(answer.usage)) return;
  }
  const end = (outcome: CallOutcome): Omit<CallEnd, 'usage' | 'usageSource'> => ({
    route: opened.route,
    attempts: call.fallback?.log.attempts ?? opened.attempts,
    tried: opened.tried,
    ...{ outcome, problem: null, finishReason: answer.finishReason, firstByteMs: null },
    ...(answer.imageKind !== undefined && { image: answer.imageKind }),
  });
  const reported = reportedUsage(answer.usage, call.facts.model, call.size);
  const { usage, usageSource, implausible, left } =
    reported !== null ? { ...reported, left: null } : await countWhole(call, answer, end('partial'), tools);
  const served = withHeaderTier(usage, opened);
  const used = answer.images === undefined ? served : { ...served, images: answer.images };
  const keeping =
    call.keep === null ? null : keepOutput(call.keep, { answer, usage: used }, tools.background);
  const { kept } = call.reply;
  const ownMs = sentMs - call.facts.startedMs - receivedMs;
  const hold =
    kept === undefined
      ? null
      : new WholeHold(kept, {
          ...{ answer, used, opened, keeping, ownMs },
          ...{ model: call.facts.model, clock: tools.clock },
        });
  const settling = settleCall(
    call.facts,
    { ...end(call.reply.gone ? 'partial' : 'completed'), usage: used, usageSource, implausible },
    tools,
    { answer: hold, left },
  );
  const cost = await settling;
  if (hold?.reply) {
    call.reply.sendJson(hold.reply.body, hold.reply.headers);
    return;
  }
  const stored = keeping === null ? undefined : await keeping;
  const headers = headersOf(opened, call.facts.model, tools.clock.elapsedMs() + ownMs, cost);
  const shown = { usage: used, cost, ...(stored !== undefined && { kept: stored }) };
  call.reply.sendJson(answer.body(shown), headers);
}

/** Counts an answer without usage that can be true. If the caller leaves meanwhile, the call is held until it is counted. */
async function countWhole<Api extends ProviderApi>(
  call: WholeCall<Api>,
  answer: WholeAnswer<ShownBody>,
  end: Omit<CallEnd, 'usage' | 'usageSource'>,
  tools: CallTools,
): Promise<UsedUsage & { left: LeftCall | null }> {
  const { facts, images, promptTokens = 0, reply, cancellation } = call;
  const texts: CountableTexts = {
    ...{ prompt: () => call.promptTexts(), promptTokens, images },
    produced: () => ({ texts: answer.texts(), restCharacters: 0 }),
    seen: answer.seenDetails?.(),
  };
  let left: LeftCall | null = null;
  // An answer that is kept is charged with its end.
  if (reply.kept === undefined) cancellation.onCancel(() => (left = leaveCall(facts, end, texts, tools)));
  const usage = await countedUsage(texts, facts.principal.spaceId, tools.tokens);
  cancellation.onCancel(null);
  return { usage, usageSource: 'estimated', implausible: answer.usage, left };
}

function headersOf(
  opened: OpenedAnswer,
  model: Model,
  overheadMs: number,
  cost: Units | null,
): Record<string, string> {
  const headers = replyHeaders(opened, model, overheadMs);
  if (cost !== null) headers['x-tollgate-cost-units'] = printUnits(cost);
  return headers;
}

interface HeldWhole {
  readonly answer: WholeAnswer<ShownBody>;
  readonly used: Usage;
  readonly opened: OpenedAnswer;
  readonly model: Model;
  readonly keeping: Promise<boolean> | null;
  /** Added to the time of the clock, it is what the gateway took. */
  readonly ownMs: number;
  readonly clock: Clock;
}

/** Stores the answer for repeats of the request; what is sent is what was stored. */
class WholeHold implements AnswerHold {
  readonly #kept: KeptReply;
  readonly #of: HeldWhole;
  reply: WholeReply | null = null;

  constructor(kept: KeptReply, of: HeldWhole) {
    this.#kept = kept;
    this.#of = of;
  }

  async store(record: CallRecord): Promise<void> {
    const { answer, used, opened, model, keeping, ownMs, clock } = this.#of;
    const cost = record.charge?.total ?? null;
    const kept = keeping === null ? undefined : await keeping;
    const body = answer.body({ usage: used, cost, ...(kept !== undefined && { kept }) });
    this.reply = { body, headers: headersOf(opened, model, clock.elapsedMs() + ownMs, cost) };
    await this.#kept.storeWhole(this.reply, record);
  }

  charged(): void {
    this.#kept.charged();
  }
}

function unreadable(): Problem {
  return new Problem('upstream_error', {
    detail: 'The provider sent an invalid answer. Send the request again later.',
  });
}

function wholeAnswer<Api extends ProviderApi>(
  call: WholeCall<Api>,
  tools: CallTools,
): Promise<{ opened: OpenedAnswer<Api>; body: Body }> {
  return new Promise((resolve, reject) => {
    callUpstream<Api>(
      {
        model: call.facts.model,
        caller: call.facts.principal.spaceId,
        cancellation: call.cancellation,
        ...(call.conversation !== undefined && { conversation: call.conversation }),
        asWritten: call.asWritten ?? false,
        ...(call.fallback !== undefined && { log: call.fallback.log }),
        untilMs: call.facts.startedMs + tools.limits.callTotalMs,
        operation: operationOf(call.facts.endpoint),
        trace: call.facts.trace,
        prepare: (route, provider) => call.prepare(route, provider),
        open: (opened) => {
          const abort = (): void => opened.call.abort();
          call.cancellation.onCancel(abort);
          return new BodyCollector({
            bytesMax: tools.limits.upstreamBodyBytesMax,
            onTooLong: abort,
            declaredBytes: Number(opened.headers['content-length'] ?? 0) || 0,
            room: {
              take: (bytes, granted) => call.lease.takeAnswer(bytes, granted),
              pause: () => opened.call.pause(),
              resume: () => opened.call.resume(),
            },
            done: (body) => {
              if (!(body instanceof UpstreamFailure)) return resolve({ opened, body });
              reject(new AllRoutesFailed(failureProblem(body), opened));
            },
          });
        },
      },
      tools,
    ).catch(reject);
  });
}
