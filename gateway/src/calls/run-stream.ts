/**
 * A streamed call: frames are relayed or translated as they arrive, and the last ones wait for the commit. However the
 * stream ends (complete, by an error of the provider, by a disconnect of the caller), it is settled once.
 */
import { toByteString } from '../kernel/byte-string.ts';
import { FrameTooLong, type OnSseFrame, SseFramer } from '../kernel/framing.ts';
import type { Problem } from '../kernel/problem.ts';
import type { LeftCall } from '../metering/left-calls.ts';
import type { BodySink, UpstreamFailure } from '../net/upstream-call.ts';
import type { Usage } from '../pricing/usage.ts';
import type { TextProvider } from '../providers/provider.ts';
import type { AnswerStream } from '../text/text-format.ts';
import { TranslatedStream } from '../text/translate.ts';
import { reportOf } from './begin-call.ts';
import type { KeptReply } from './call-reply.ts';
import type { CallTools } from './call-tools.ts';
import { AllRoutesFailed, callUpstream } from './call-upstream.ts';
import { preparePriced } from './check-asked-prices.ts';
import { type CountableTexts, countedUsage } from './counted-usage.ts';
import { isRefusal } from './fallback-hook.ts';
import { keepOutput } from './keep-output.ts';
import { LATE_USAGE_MS, leaveCall } from './leave-call.ts';
import { relays } from './prepare-text.ts';
import { promptTexts } from './prompt-texts.ts';
import {
  type AnswerHold,
  type CallEnd,
  reportedUsage,
  settleCall,
  type UsedUsage,
  withHeaderTier,
} from './settle-call.ts';
import { StreamOutput } from './stream-output.ts';
import { streamProblem } from './stream-problem.ts';
import type { RunningText } from './text-request.ts';
import { notingModel, operationOf } from './trace-call.ts';
import type { OpenedAnswer } from './upstream-request.ts';

/** Limit for one frame of a provider; an image in base64 fits. */
const FRAME_CHARACTERS_MAX = 32 * 1024 * 1024;

interface Ended {
  readonly stream: RunningStream;
  readonly failure: UpstreamFailure | null;
}

export async function runStream<Request>(call: RunningText<Request>, tools: CallTools): Promise<void> {
  const { format, context, facts, reply } = call;
  // Keep-alives may be sent before a provider answers; from then on an error has to be a frame.
  reply.onFail((problem) => toByteString(format.writeStream(context).failure(problem, facts.id)));
  reply.onSilence(() => format.writeStream(context).keepAlive?.() ?? '');
  const overheadMs = tools.clock.elapsedMs() - call.facts.startedMs;
  const ended = Promise.withResolvers<Ended>();
  await callUpstream<TextProvider>(
    {
      model: call.facts.model,
      caller: call.facts.principal.spaceId,
      conversation: call.conversation,
      cancellation: call.cancellation,
      ...(call.fallback !== undefined && { log: call.fallback.log }),
      untilMs: call.facts.startedMs + tools.limits.streamTotalMs,
      operation: operationOf(facts.endpoint),
      trace: facts.trace,
      prepare: preparePriced(call),
      open: (opened) => {
        const answer = answerStream(call, opened);
        reply.onFail((problem) => answer.failure(problem, facts.id));
        reply.onSilence(() => answer.keepAlive?.() ?? '');
        const sink = new RunningStream(call, { answer, opened, overheadMs, tools, ended: ended.resolve });
        return notingModel(sink, facts.trace, opened.route);
      },
    },
    tools,
  );
  const { stream, failure } = await ended.promise;
  await stream.finish(failure);
}

function answerStream<Request>(
  call: RunningText<Request>,
  { api: text }: OpenedAnswer<TextProvider>,
): AnswerStream {
  const { format, context, reading } = call;
  if (relays(text, call)) return format.relayStream(context);
  return new TranslatedStream((emit) => text.readStream(reading, emit), format.writeStream(context));
}

function serverSentEvents(onFrame: OnSseFrame): { push(chunk: Buffer): void } {
  const framer = new SseFramer({ charactersMax: FRAME_CHARACTERS_MAX, onFrame });
  return { push: (chunk) => framer.push(chunk.toString('latin1')) };
}

class RunningStream implements BodySink {
  readonly #call: RunningText<unknown>;
  readonly #opened: OpenedAnswer<TextProvider>;
  readonly #tools: CallTools;
  readonly #ended: (ended: Ended) => void;
  readonly #answer: AnswerStream;
  readonly #framer: { push(chunk: Buffer): void };
  readonly #output: StreamOutput;
  #timedOut = false;
  #tooLong = false;
  /** Nothing is sent before it is known that the answer is no refusal. */
  #holding: boolean;
  /** The caller left before the usage was known. */
  #left: LeftCall | null = null;
  #usageKnown = false;
  #stopWaiting: (() => void) | null = null;

  constructor(
    call: RunningText<unknown>,
    context: {
      answer: AnswerStream;
      opened: OpenedAnswer<TextProvider>;
      overheadMs: number;
      tools: CallTools;
      ended: (ended: Ended) => void;
    },
  ) {
    this.#call = call;
    this.#opened = context.opened;
    this.#tools = context.tools;
    this.#ended = context.ended;
    this.#answer = context.answer;
    this.#output = new StreamOutput(call, context);
    this.#holding = call.fallback?.takesRefusals ?? false;
    const onFrame: OnSseFrame = (data, event) => this.#output.add(this.#answer.frame(data, event));
    this.#framer = context.opened.api.framing?.(onFrame, FRAME_CHARACTERS_MAX) ?? serverSentEvents(onFrame);
    call.cancellation.onCancel(() => this.#leave());
  }

  data(chunk: Buffer): void {
    try {
      this.#framer.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameTooLong)) throw error;
      this.#tooLong = true;
    }
    // A silent stream ends by its silence timeout, so the total time is checked only when data arrives.
    const { clock, limits } = this.#tools;
    const nowMs = clock.elapsedMs();
    this.#timedOut = nowMs - this.#call.facts.startedMs > limits.streamTotalMs;
    if (this.#timedOut || this.#tooLong || this.#answer.fault !== null) this.#opened.call.abort();
    if (!this.#holding || this.#release()) this.#output.flushSoon(nowMs);
  }

  end(): void {
    this.#stopWaiting?.();
    this.#ended({ stream: this, failure: null });
  }

  fail(failure: UpstreamFailure): void {
    this.#stopWaiting?.();
    this.#ended({ stream: this, failure });
  }

  /** Settles the call, and only then sends the end of the stream. */
  async finish(failure: UpstreamFailure | null): Promise<void> {
    this.#output.resume();
    const answer = this.#answer;
    const { reply, facts, keep } = this.#call;
    const { kept: keeper } = reply;
    const whole = this.#whole;
    if (this.#holding && whole && (await this.#answeredElsewhere())) return;
    if (!this.#holding || whole) this.#output.flush();
    const problem = whole ? null : (reply.stopped ?? this.#problem(failure));
    const nothing = !whole && this.#output.firstByteMs === null && answer.usage === null;
    if (nothing) throw new AllRoutesFailed(problem as Problem, this.#opened);
    const used = await this.#used();
    this.#usageKnown = true;
    const usage = withHeaderTier(used.usage, this.#opened);
    const { background } = this.#tools;
    const keeping = whole && keep !== null ? keepOutput(keep, { answer, usage }, background) : null;
    const hold = keeper === undefined ? null : this.#hold(keeper, { problem, usage, keeping });
    // A caller that disconnected gets nothing, unless the answer is kept for its next request.
    const isLeft = reply.gone && keeper === undefined;
    const end = { ...this.#endOf(isLeft, problem), ...used, usage };
    const settling = settleCall(facts, end, this.#tools, { answer: hold, left: this.#left });
    const cost = await settling;
    const kept = keeping === null ? undefined : await keeping;
    if (isLeft) return;
    if (problem !== null) {
      const { route, attempts } = this.#opened;
      problem.upstream = reportOf(route, facts.model, attempts);
      throw problem;
    }
    this.#output.start();
    reply.endStream(
      keeper === undefined ? answer.ending({ usage, cost, ...(kept !== undefined && { kept }) }) : '',
    );
  }

  get #whole(): boolean {
    return this.#answer.complete && !this.#tooLong;
  }

  #endOf(isLeft: boolean, problem: Problem | null): Omit<CallEnd, 'usage' | 'usageSource'> {
    const { route, attempts, tried } = this.#opened;
    return {
      ...{ route, tried, attempts: this.#call.fallback?.log.attempts ?? attempts },
      outcome: this.#whole && !isLeft ? 'completed' : 'partial',
      // A caller that disconnected is not an error.
      problem: isLeft ? null : (problem?.code ?? null),
      finishReason: this.#answer.finishReason,
      firstByteMs: this.#output.firstByteMs,
    };
  }

  /** True if there is something to send. What is held is only the beginning of an answer. */
  #release(): boolean {
    const { texts, restCharacters } = this.#answer.produced();
    this.#holding = texts.length === 0 && restCharacters === 0 && !this.#output.isLong;
    return !this.#holding;
  }

  /** The answer is a refusal, and another model has answered instead. */
  async #answeredElsewhere(): Promise<boolean> {
    const answer = this.#answer;
    const { fallback, reply, facts, cancellation } = this.#call;
    if (!isRefusal(answer.finishReason, answer.produced().texts)) return false;
    if (await fallback?.answerRefused(answer.usage)) return true;
    reply.onFail((problem) => answer.failure(problem, facts.id));
    cancellation.onCancel(() => this.#leave());
    this.#output.listen();
    return false;
  }

  /** Stores the end of the stream for repeats of the request. */
  #hold(
    keeper: KeptReply,
    { problem, usage, keeping }: { problem: Problem | null; usage: Usage; keeping: Promise<boolean> | null },
  ): AnswerHold {
    const answer = this.#answer;
    return {
      store: async (record) => {
        const cost = record.charge?.total ?? null;
        const kept = keeping === null ? undefined : await keeping;
        this.#output.start();
        const events =
          problem === null
            ? answer.ending({ usage, cost, ...(kept !== undefined && { kept }) })
            : answer.failure(problem, record.id);
        await keeper.storeEnd(events, record);
      },
      charged: () => keeper.charged(),
    };
  }

  /** The usage that the provider reported; without a final one, what it reported so far and a count for the rest. */
  async #used(): Promise<UsedUsage> {
    const { usage: implausible } = this.#answer;
    const reported = this.#believed(implausible);
    if (reported !== null) return reported;
    const { spaceId } = this.#call.facts.principal;
    const usage = await countedUsage(this.#texts(), spaceId, this.#tools.tokens);
    return { usage, usageSource: 'estimated', implausible };
  }

  #believed(usage: Usage | null): UsedUsage | null {
    return reportedUsage(usage, this.#call.facts.model, this.#call.size);
  }

  #texts(): CountableTexts {
    const answer = this.#answer;
    return {
      ...{ prompt: () => promptTexts(this.#call), images: this.#call.images },
      ...{ produced: () => answer.produced(), seen: answer.seenDetails },
      soFar: this.#believed(answer.usageSoFar ?? null)?.usage ?? null,
    };
  }

  /** The caller disconnected, or the call is stopped. Nobody reads what would be generated from here on. */
  #leave(): void {
    const { finishReason, usage } = this.#answer;
    if (this.#isCountedLater)
      this.#left ??= leaveCall(this.#call.facts, this.#endOf(true, null), this.#texts(), this.#tools);
    const abort = (): void => this.#opened.call.abort();
    // A model that has finished costs nothing while its usage is awaited.
    const waitMs = finishReason !== null && usage === null ? LATE_USAGE_MS : 0;
    if (waitMs === 0) abort();
    else this.#stopWaiting = this.#tools.clock.after(waitMs, abort);
    this.#output.resume();
  }

  /** Something was produced for a caller that left, and its usage is not known. What is kept is charged with its end. */
  get #isCountedLater(): boolean {
    const produced = !this.#holding && this.#output.begun;
    return (
      this.#call.reply.kept === undefined && produced && this.#answer.usage === null && !this.#usageKnown
    );
  }

  #problem(failure: UpstreamFailure | null): Problem {
    const { fault } = this.#answer;
    const ended = { fault, failure, timedOut: this.#timedOut, tooLong: this.#tooLong };
    return streamProblem(ended, this.#opened, this.#call.facts.model);
  }
}
