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

/** An answer that is charged. `isLeft`: nobody is there to get it. */
interface EndedAnswer {
  readonly end: AnswerEnd;
  readonly isLeft: boolean;
}

interface Settling {
  /** Whether the answer can be kept; null if it is not to be. */
  readonly keeping: Promise<boolean> | null;
  /** Why it broke off; null if it is complete. */
  readonly problem: Problem | null;
  readonly store: StoreAnswer;
}

type EndUsage = Pick<CallEnd, 'usage' | 'usageSource'> & Pick<UsedUsage, 'implausible'>;

const NOT_KNOWN: EndUsage = { usage: null, usageSource: 'none', implausible: null };

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
      this.#endOf('partial', null, NOT_KNOWN),
      this.#arrived.texts(),
      this.#tools,
    );
  }

  /** Everything has arrived. Resolves once it is charged. */
  complete(store: StoreAnswer): Promise<EndedAnswer> {
    return this.#withUsage((used) => {
      const { keep } = this.#call;
      const kept = { answer: this.#arrived.answer, usage: used.usage };
      const keeping = keep === null ? null : keepOutput(keep, kept, this.#tools.background);
      return this.#settle(used, { keeping, problem: null, store });
    });
  }

  /** The answer broke off. What arrived is charged; then the Problem is thrown, unless nobody is there to get it. */
  async broken(problem: Problem, store: StoreAnswer): Promise<void> {
    const { isLeft } = await this.#withUsage((used) => this.#settle(used, { keeping: null, problem, store }));
    if (isLeft) return;
    const { route, attempts } = this.#arrived.opened;
    problem.upstream = reportOf(route, this.#call.facts.model, attempts);
    throw problem;
  }

  /**
   * With the usage that the provider reported; then at once, because every call comes here and a promise would cost each of them.
   * Without one that can be true, with what it reported so far and a count for the rest.
   */
  #withUsage<T>(end: (used: UsedUsage) => Promise<T>): Promise<T> {
    const reported = this.#reported();
    return reported === null
      ? this.#counted().then((counted) => end(this.#used(counted)))
      : end(this.#used(reported));
  }

  async #counted(): Promise<UsedUsage> {
    const { spaceId } = this.#call.facts.principal;
    const usage = await countedUsage(this.#arrived.texts(), spaceId, this.#tools.tokens);
    return { usage, usageSource: 'estimated', implausible: this.#arrived.answer.usage };
  }

  #used({ usage, usageSource, implausible }: UsedUsage): UsedUsage {
    const { answer, opened } = this.#arrived;
    this.#isUsageKnown = true;
    const served = withHeaderTier(usage, opened);
    const all: Usage = answer.images === undefined ? served : { ...served, images: answer.images };
    return { usage: all, usageSource, implausible };
  }

  /** Null if the provider reported no usage, or one that cannot be true. */
  #reported(): UsedUsage | null {
    return reportedUsage(this.#arrived.answer.usage, this.#call.facts.model, this.#call.size);
  }

  async #settle(used: UsedUsage, on: Settling): Promise<EndedAnswer> {
    const { facts, reply } = this.#call;
    const { kept: keeper } = reply;
    const { keeping, problem } = on;
    const answer = keeper === undefined ? null : holdOf(keeper, used, on);
    // A caller that disconnected gets nothing, unless the answer is stored for its next request. It is not an error.
    const isLeft = reply.gone && keeper === undefined;
    const end = isLeft
      ? this.#endOf('partial', null, used)
      : this.#endOf(problem === null ? 'completed' : 'partial', problem, used);
    const cost = await settleCall(facts, end, this.#tools, { answer, left: this.#left });
    const { usage } = used;
    return { end: keeping === null ? { usage, cost } : { usage, cost, kept: await keeping }, isLeft };
  }

  #endOf(outcome: CallOutcome, problem: Problem | null, used: EndUsage): CallEnd {
    const { opened, answer, firstByteMs } = this.#arrived;
    // Named one by one: every call comes here, and a spread copies them more slowly.
    const end: CallEnd = {
      outcome,
      problem: problem?.code ?? null,
      route: opened.route,
      attempts: this.#call.fallback?.log.attempts ?? opened.attempts,
      tried: opened.tried,
      finishReason: answer.finishReason,
      usage: used.usage,
      usageSource: used.usageSource,
      firstByteMs: firstByteMs?.() ?? null,
      implausible: used.implausible,
    };
    return answer.imageKind === undefined ? end : { ...end, image: answer.imageKind };
  }
}

function holdOf(keeper: KeptReply, { usage }: UsedUsage, { keeping, store }: Settling): AnswerHold {
  return {
    async store(record) {
      const shown = { usage, cost: record.charge?.total ?? null };
      await store(keeping === null ? shown : { ...shown, kept: await keeping }, record, keeper);
    },
    charged: () => keeper.charged(),
  };
}
