/**
 * A streamed call: frames are relayed or translated as they arrive, and the last ones wait for the commit. However the
 * stream ends (complete, by an error of the provider, by a disconnect of the caller), it is settled once.
 */
import { callKinds } from '../contract/paid-endpoints.ts';
import { toByteString } from '../kernel/byte-string.ts';
import { FrameTooLong, type OnSseFrame, SseFramer } from '../kernel/framing.ts';
import type { Problem } from '../kernel/problem.ts';
import type { BodySink, UpstreamFailure } from '../net/upstream-call.ts';
import type { TextProvider } from '../providers/provider.ts';
import type { AnswerStream } from '../text/text-format.ts';
import { TranslatedStream } from '../text/translate.ts';
import type { CallTools } from './call-tools.ts';
import { callUpstream } from './call-upstream.ts';
import { preparePriced } from './check-asked-prices.ts';
import type { CountableTexts } from './counted-usage.ts';
import { CallEnding } from './end-call.ts';
import { LATE_USAGE_MS } from './leave-call.ts';
import { relays } from './prepare-text.ts';
import { promptTexts } from './prompt-texts.ts';
import { reportedUsage } from './settle-call.ts';
import { StreamOutput } from './stream-output.ts';
import { streamProblem } from './stream-problem.ts';
import type { RunningText } from './text-request.ts';
import { notingModel } from './trace-call.ts';
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
      operation: callKinds[facts.endpoint].trace,
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
  readonly #ending: CallEnding;
  #timedOut = false;
  #tooLong = false;
  /** Nothing is sent before it is known that the answer is no refusal. */
  #holding: boolean;
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
    const { answer, opened, tools } = context;
    this.#call = call;
    this.#opened = opened;
    this.#tools = tools;
    this.#ended = context.ended;
    this.#answer = answer;
    this.#output = new StreamOutput(call, context);
    const firstByteMs = (): number | null => this.#output.firstByteMs;
    this.#ending = new CallEnding(call, { opened, answer, texts: () => this.#texts(), firstByteMs }, tools);
    this.#holding = call.fallback?.takesRefusals ?? false;
    const onFrame: OnSseFrame = (data, event) => this.#output.add(answer.frame(data, event));
    this.#framer = opened.api.framing?.(onFrame, FRAME_CHARACTERS_MAX) ?? serverSentEvents(onFrame);
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
    const isWhole = this.#answer.complete && !this.#tooLong;
    if (isWhole && this.#holding && (await this.#answeredElsewhere())) return;
    if (isWhole || !this.#holding) this.#output.flush();
    await (isWhole ? this.#complete() : this.#breakOff(failure));
  }

  async #complete(): Promise<void> {
    const answer = this.#answer;
    const { reply } = this.#call;
    const { end, isLeft } = await this.#ending.complete(async (shown, record, kept) => {
      this.#output.start();
      await kept.storeEnd(answer.ending(shown), record);
    });
    if (isLeft) return;
    this.#output.start();
    // What is stored is sent from there.
    reply.endStream(reply.kept === undefined ? answer.ending(end) : '');
  }

  async #breakOff(failure: UpstreamFailure | null): Promise<void> {
    const answer = this.#answer;
    const problem = this.#call.reply.stopped ?? this.#problem(failure);
    if (this.#output.firstByteMs === null && answer.usage === null) throw this.#ending.unanswered(problem);
    await this.#ending.broken(problem, async (_, record, kept) => {
      this.#output.start();
      await kept.storeEnd(answer.failure(problem, record.id), record);
    });
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
    const { reply, facts, cancellation } = this.#call;
    if (await this.#ending.refused(() => answer.produced().texts)) return true;
    // If another model was asked, it listened in the place of this one.
    reply.onFail((problem) => answer.failure(problem, facts.id));
    cancellation.onCancel(() => this.#leave());
    this.#output.listen();
    return false;
  }

  #texts(): CountableTexts {
    const answer = this.#answer;
    const { facts, size, images } = this.#call;
    return {
      prompt: () => promptTexts(this.#call),
      images,
      produced: () => answer.produced(),
      seen: answer.seenDetails,
      soFar: reportedUsage(answer.usageSoFar ?? null, facts.model, size)?.usage ?? null,
    };
  }

  /** The caller disconnected, or the call is stopped. Nobody reads what would be generated from here on. */
  #leave(): void {
    const { finishReason, usage } = this.#answer;
    // Something was produced for it.
    if (!this.#holding && this.#output.begun) this.#ending.left();
    const abort = (): void => this.#opened.call.abort();
    // A model that has finished costs nothing while its usage is awaited.
    const waitMs = finishReason !== null && usage === null ? LATE_USAGE_MS : 0;
    if (waitMs === 0) abort();
    else this.#stopWaiting = this.#tools.clock.after(waitMs, abort);
    this.#output.resume();
  }

  #problem(failure: UpstreamFailure | null): Problem {
    const { fault } = this.#answer;
    const ended = { fault, failure, timedOut: this.#timedOut, tooLong: this.#tooLong };
    return streamProblem(ended, this.#opened, this.#call.facts.model);
  }
}
