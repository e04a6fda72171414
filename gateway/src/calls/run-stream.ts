/**
 * A streamed call: frames are relayed or translated as they arrive, and the last ones wait for the commit. However the
 * stream ends (complete, by an error of the provider, by a disconnect of the caller), it is settled once.
 */
import { toByteString } from '../kernel/byte-string.ts';
import { FrameTooLong, type OnSseFrame, SseFramer } from '../kernel/framing.ts';
import type { Problem } from '../kernel/problem.ts';
import type { BodySink, UpstreamFailure } from '../net/upstream-call.ts';
import type { Usage, UsageSource } from '../pricing/usage.ts';
import { withSeenDetails } from '../pricing/usage-details.ts';
import type { TextProvider } from '../providers/provider.ts';
import type { AnswerStream } from '../text/text-format.ts';
import { TranslatedStream } from '../text/translate.ts';
import { reportOf } from './begin-call.ts';
import type { KeptReply } from './call-reply.ts';
import { type CallTools, replyHeaders } from './call-tools.ts';
import { AllRoutesFailed, callUpstream } from './call-upstream.ts';
import { isRefusal } from './fallback-hook.ts';
import { keepOutput } from './keep-output.ts';
import { prepareText, relays } from './prepare-text.ts';
import { promptTexts } from './prompt-texts.ts';
import { type AnswerHold, countedUsage, reportedUsage, settleCall, withHeaderTier } from './settle-call.ts';
import { streamProblem } from './stream-problem.ts';
import type { RunningText } from './text-request.ts';
import { notingModel, operationOf } from './trace-call.ts';
import type { OpenedAnswer } from './upstream-request.ts';
import { COALESCE_MS, COALESCED_CHARACTERS_MAX, type CoalescedStream } from './write-coalescer.ts';

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
      prepare: prepareText(call),
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

class RunningStream implements BodySink, CoalescedStream {
  readonly #call: RunningText<unknown>;
  readonly #opened: OpenedAnswer<TextProvider>;
  readonly #tools: CallTools;
  readonly #overheadMs: number;
  readonly #ended: (ended: Ended) => void;
  readonly #answer: AnswerStream;
  readonly #framer: { push(chunk: Buffer): void };
  #out = '';
  #flushing = false;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #firstByteMs: number | null = null;
  #timedOut = false;
  #paused = false;
  #tooLong = false;
  /** Nothing is sent before it is known that the answer is no refusal. */
  #holding: boolean;

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
    this.#overheadMs = context.overheadMs;
    this.#ended = context.ended;
    this.#answer = context.answer;
    this.#holding = call.fallback?.takesRefusals ?? false;
    const onFrame: OnSseFrame = (data, event) => {
      this.#out += this.#answer.frame(data, event);
    };
    this.#framer = context.opened.api.framing?.(onFrame, FRAME_CHARACTERS_MAX) ?? serverSentEvents(onFrame);
    call.cancellation.onCancel(() => context.opened.call.abort());
    call.reply.onDrain(() => this.#resume());
  }

  data(chunk: Buffer): void {
    try {
      this.#framer.push(chunk);
    } catch (error) {
      if (!(error instanceof FrameTooLong)) throw error;
      this.#tooLong = true;
    }
    // A silent stream ends by its silence timeout, so the total time is checked only when data arrives.
    const { clock, limits, coalescer } = this.#tools;
    const nowMs = clock.elapsedMs();
    this.#timedOut = nowMs - this.#call.facts.startedMs > limits.streamTotalMs;
    if (this.#timedOut || this.#tooLong || this.#answer.fault !== null) this.#opened.call.abort();
    if (this.#holding && !this.#release()) return;
    if (this.#out.length > COALESCED_CHARACTERS_MAX) this.flush();
    if (this.#out === '' || this.#flushing) return;
    this.#flushing = true;
    if (nowMs - this.#flushedMs < COALESCE_MS) coalescer.flushSoon(this);
    // One read of the socket often has several frames, each with a call of its own: they are written together.
    else queueMicrotask(() => this.flush());
  }

  end(): void {
    this.#ended({ stream: this, failure: null });
  }

  fail(failure: UpstreamFailure): void {
    this.#ended({ stream: this, failure });
  }

  /** Settles the call, and only then sends the end of the stream. */
  async finish(failure: UpstreamFailure | null): Promise<void> {
    this.#resume();
    const answer = this.#answer;
    const { reply, facts, keep, fallback } = this.#call;
    const { kept: keeper } = reply;
    const whole = answer.complete && !this.#tooLong;
    if (this.#holding && whole && (await this.#answeredElsewhere())) return;
    // A caller that disconnected gets nothing, unless the answer is kept for its next request.
    const left = reply.gone && keeper === undefined;
    if (!this.#holding || whole) this.flush();
    const problem = whole ? null : (reply.stopped ?? this.#problem(failure));
    const nothing = !whole && this.#firstByteMs === null && answer.usage === null;
    if (nothing) throw new AllRoutesFailed(problem as Problem, this.#opened);
    const { usage: counted, usageSource } = await this.#used();
    const used = { usage: withHeaderTier(counted, this.#opened), usageSource };
    const { background } = this.#tools;
    const keeping =
      whole && keep !== null ? keepOutput(keep, { answer, usage: used.usage }, background) : null;
    const settling = settleCall(
      facts,
      {
        route: this.#opened.route,
        attempts: fallback?.log.attempts ?? this.#opened.attempts,
        tried: this.#opened.tried,
        usage: used.usage,
        usageSource: used.usageSource,
        outcome: whole && !left ? 'completed' : 'partial',
        // A caller that disconnected is not an error.
        problem: left ? null : (problem?.code ?? null),
        finishReason: answer.finishReason,
        firstByteMs: this.#firstByteMs,
      },
      this.#tools,
      keeper === undefined ? null : this.#hold(keeper, { problem, usage: used.usage, keeping }),
    );
    const cost = await settling;
    const kept = keeping === null ? undefined : await keeping;
    if (left) return;
    if (problem !== null) {
      const { route, attempts } = this.#opened;
      problem.upstream = reportOf(route, facts.model, attempts);
      throw problem;
    }
    this.#start();
    reply.endStream(
      keeper === undefined
        ? answer.ending({ usage: used.usage, cost, ...(kept !== undefined && { kept }) })
        : '',
    );
  }

  /** True if there is something to send. What is held is only the beginning of an answer. */
  #release(): boolean {
    const { texts, restCharacters } = this.#answer.produced();
    this.#holding =
      texts.length === 0 && restCharacters === 0 && this.#out.length <= COALESCED_CHARACTERS_MAX;
    return !this.#holding;
  }

  /** The answer is a refusal, and another model has answered instead. */
  async #answeredElsewhere(): Promise<boolean> {
    const answer = this.#answer;
    const { fallback, reply, facts } = this.#call;
    if (!isRefusal(answer.finishReason, answer.produced().texts)) return false;
    if (await fallback?.answerRefused(answer.usage)) return true;
    reply.onFail((problem) => answer.failure(problem, facts.id));
    reply.onDrain(() => this.#resume());
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
        this.#start();
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
  async #used(): Promise<{ usage: Usage; usageSource: UsageSource }> {
    const answer = this.#answer;
    if (answer.usage !== null) return reportedUsage(answer.usage);
    const { images } = this.#call;
    const { seenDetails: seen } = answer;
    const counted = await countedUsage(
      { prompt: () => promptTexts(this.#call), images, produced: () => answer.produced(), seen },
      this.#tools.tokens,
    );
    const reported = answer.usageSoFar ?? null;
    if (reported === null) return counted;
    const outputTokens = Math.max(reported.outputTokens, counted.usage.outputTokens);
    const usage = withSeenDetails({ ...reported, outputTokens }, seen);
    return { usage, usageSource: counted.usageSource };
  }

  flush(): void {
    this.#flushing = false;
    if (this.#out === '') return;
    const events = this.#out;
    this.#out = '';
    this.#flushedMs = this.#tools.clock.elapsedMs();
    this.#start();
    if (!this.#call.reply.write(events)) this.#pause();
  }

  /** The caller reads more slowly than the provider writes: stop reading until it has caught up. */
  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#tools.onPaused(1);
    this.#opened.call.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#tools.onPaused(-1);
    this.#opened.call.resume();
  }

  #start(): void {
    if (this.#firstByteMs !== null) return;
    this.#firstByteMs = this.#tools.clock.elapsedMs() - this.#call.facts.startedMs;
    this.#call.reply.startStream(replyHeaders(this.#opened, this.#call.facts.model, this.#overheadMs));
  }

  #problem(failure: UpstreamFailure | null): Problem {
    const { fault } = this.#answer;
    const ended = { fault, failure, timedOut: this.#timedOut, tooLong: this.#tooLong };
    return streamProblem(ended, this.#opened, this.#call.facts.model);
  }
}
