/**
 * How a call ends whose provider has answered, as a whole or in a stream. However it ends, it is settled once: what arrived is
 * charged, kept if it was to be kept, and stored if the request may be repeated.
 */
import type { Problem } from '../kernel/problem.ts';
import type { CallOutcome, CallRecord } from '../metering/call-record.ts';
import type { LeftCall } from '../metering/left-calls.ts';
import type { Usage } from '../pricing/usage.ts';
import type { AnswerEnd, AnswerStream, ShownBody, WholeAnswer } from '../text/text-format.ts';
import { reportOf } from './begin-call.ts';
import type { CallSize } from './believable-usage.ts';
import type { CallReply, KeptReply } from './call-reply.ts';
import type { CallTools } from './call-tools.ts';
import { AllRoutesFailed } from './call-upstream.ts';
import { type CountableTexts, countedUsage } from './counted-usage.ts';
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
import type { OpenedAnswer } from './upstream-request.ts';

export interface EndingCall {
  readonly facts: CallFacts;
  readonly reply: CallReply;
  readonly keep: KeepOutput | null;
  /** What limits its usage. */
  readonly size: CallSize;
  /** Absent if no other model may answer. */
  readonly fallback?: FallbackHook;
}

/** What a provider has sent. */
export interface Arrived {
  readonly opened: OpenedAnswer;
  readonly answer: Pick<WholeAnswer<ShownBody> | AnswerStream, 'usage' | 'finishReason' | 'output' | 'head'> &
    Pick<WholeAnswer, 'images' | 'imageKind'>;
  /** For counting, if the provider does not tell the usage. */
  texts(): CountableTexts;
  /** When the caller got the first byte of a stream. */
  readonly firstByteMs?: () => number | null;
}

/** Stores what the caller is sent, for repeats of its request. */
export type StoreAnswer = (end: AnswerEnd, record: CallRecord, kept: KeptReply) => Promise<void>;

export class CallEnding {
  readonly #call: EndingCall;
  readonly #arrived: Arrived;
  readonly #tools: CallTools;
  #left: LeftCall | null = null;
  #isUsageKnown = false;

  constructor(call: EndingCall, arrived: Arrived, tools: CallTools) {
    this.#call = call;
    this.#arrived = arrived;
    this.#tools = tools;
  }

  /** Nothing has arrived: nothing is charged, and another model may answer. */
  unanswered(problem: Problem): AllRoutesFailed {
    return new AllRoutesFailed(problem, this.#arrived.opened);
  }

  /** The model may have refused. True: another one has answered instead. */
  async refused(texts: () => readonly string[]): Promise<boolean> {
    const { fallback } = this.#call;
    const { finishReason, usage } = this.#arrived.answer;
    if (!fallback?.takesRefusals || !isRefusal(finishReason, texts())) return false;
    return await fallback.answerRefused(usage);
  }

  /** The caller left. If the usage is not known, the call is held at its upper bound until it is counted. */
  left(): void {
    // What is kept is charged with its end.
    if (this.#isUsageKnown || this.#call.reply.kept !== undefined || this.#reported() !== null) return;
    this.#left ??= leaveCall(
      this.#call.facts,
      this.#endOf('partial', null),
      this.#arrived.texts(),
      this.#tools,
    );
  }

  /** Everything has arrived. Resolves once it is charged. */
  async complete(store: StoreAnswer): Promise<{ end: AnswerEnd; isLeft: boolean }> {
    const { keep } = this.#call;
    const used = await this.#used();
    const kept = { answer: this.#arrived.answer, usage: used.usage };
    const keeping = keep === null ? null : keepOutput(keep, kept, this.#tools.background);
    return await this.#settle(used, { keeping, problem: null, store });
  }

  /** The answer broke off. What arrived is charged; then the Problem is thrown, unless nobody is there to get it. */
  async broken(problem: Problem, store: StoreAnswer): Promise<void> {
    const { isLeft } = await this.#settle(await this.#used(), { keeping: null, problem, store });
    if (isLeft) return;
    const { route, attempts } = this.#arrived.opened;
    problem.upstream = reportOf(route, this.#call.facts.model, attempts);
    throw problem;
  }

  /** The usage that the provider reported; without one that can be true, what it reported so far and a count for the rest. */
  async #used(): Promise<UsedUsage> {
    const { answer, opened } = this.#arrived;
    let used = this.#reported();
    if (used === null) {
      const { spaceId } = this.#call.facts.principal;
      const usage = await countedUsage(this.#arrived.texts(), spaceId, this.#tools.tokens);
      used = { usage, usageSource: 'estimated', implausible: answer.usage };
    }
    this.#isUsageKnown = true;
    const served = withHeaderTier(used.usage, opened);
    const usage: Usage = answer.images === undefined ? served : { ...served, images: answer.images };
    return { usage, usageSource: used.usageSource, implausible: used.implausible };
  }

  /** Null if the provider reported no usage, or one that cannot be true. */
  #reported(): UsedUsage | null {
    return reportedUsage(this.#arrived.answer.usage, this.#call.facts.model, this.#call.size);
  }

  async #settle(
    used: UsedUsage,
    {
      keeping,
      problem,
      store,
    }: { keeping: Promise<boolean> | null; problem: Problem | null; store: StoreAnswer },
  ): Promise<{ end: AnswerEnd; isLeft: boolean }> {
    const { facts, reply } = this.#call;
    const { kept: keeper } = reply;
    const { usage } = used;
    const shown = async (cost: AnswerEnd['cost']): Promise<AnswerEnd> => {
      const kept = keeping === null ? undefined : await keeping;
      return { usage, cost, ...(kept !== undefined && { kept }) };
    };
    const hold: AnswerHold | null =
      keeper === undefined
        ? null
        : {
            store: async (record) => await store(await shown(record.charge?.total ?? null), record, keeper),
            charged: () => keeper.charged(),
          };
    // A caller that disconnected gets nothing, unless the answer is stored for its next request. It is not an error.
    const isLeft = reply.gone && keeper === undefined;
    const ended = isLeft
      ? this.#endOf('partial', null)
      : this.#endOf(problem === null ? 'completed' : 'partial', problem);
    const cost = await settleCall(facts, { ...ended, ...used }, this.#tools, {
      answer: hold,
      left: this.#left,
    });
    return { end: await shown(cost), isLeft };
  }

  #endOf(outcome: CallOutcome, problem: Problem | null): Omit<CallEnd, 'usage' | 'usageSource'> {
    const { opened, answer, firstByteMs } = this.#arrived;
    const { route, attempts, tried } = opened;
    return {
      ...{ route, tried, outcome, attempts: this.#call.fallback?.log.attempts ?? attempts },
      problem: problem?.code ?? null,
      finishReason: answer.finishReason,
      firstByteMs: firstByteMs?.() ?? null,
      ...(answer.imageKind !== undefined && { image: answer.imageKind }),
    };
  }
}
