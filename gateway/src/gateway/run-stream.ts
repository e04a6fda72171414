/**
 * Relays a chat stream: frames go out as they come in, the finish waits for the commit. However it
 * ends (well, by a fault of the provider, by the caller leaving) what was produced is settled once.
 */
import { FrameTooLong, SseFramer } from '../kernel/framing.ts';
import { Problem } from '../kernel/problem.ts';
import type { BodySink, UpstreamFailure } from '../net/upstream-call.ts';
import { readPromptTexts } from '../text/formats/chat/read-features.ts';
import { relayChatRequest } from '../text/formats/chat/relay-request.ts';
import { ChatStreamRelay } from '../text/formats/chat/relay-stream.ts';
import { AllRoutesFailed, callUpstream, failureProblem, type Opened } from './call-upstream.ts';
import { type RunChatTools, type RunningChat, replyHeaders } from './chat-call.ts';
import { countedUsage, reportedUsage, settleCall } from './settle-call.ts';

/** One frame of a provider may be this long; an image in base64 fits. */
const FRAME_CHARACTERS_MAX = 32 * 1024 * 1024;

interface Ended {
  readonly stream: ChatStream;
  readonly failure: UpstreamFailure | null;
}

export async function relayChatStream(call: RunningChat, tools: RunChatTools): Promise<void> {
  const overheadMs = tools.clock.elapsedMs() - call.facts.startedMs;
  const ended = Promise.withResolvers<Ended>();
  await callUpstream(
    {
      model: call.facts.model,
      cancellation: call.cancellation,
      body: (route) => relayChatRequest(call.body, route.upstreamModel),
      open: (opened) => new ChatStream(call, { opened, overheadMs, tools, ended: ended.resolve }),
    },
    tools,
  );
  const { stream, failure } = await ended.promise;
  await stream.finish(failure);
}

class ChatStream implements BodySink {
  readonly #call: RunningChat;
  readonly #opened: Opened;
  readonly #tools: RunChatTools;
  readonly #overheadMs: number;
  readonly #ended: (ended: Ended) => void;
  readonly #relay: ChatStreamRelay;
  readonly #framer: SseFramer;
  #out = '';
  #flushing = false;
  #firstByteMs: number | null = null;
  #timedOut = false;
  #tooLong = false;

  constructor(
    call: RunningChat,
    context: {
      opened: Opened;
      overheadMs: number;
      tools: RunChatTools;
      ended: (ended: Ended) => void;
    },
  ) {
    this.#call = call;
    this.#opened = context.opened;
    this.#tools = context.tools;
    this.#overheadMs = context.overheadMs;
    this.#ended = context.ended;
    this.#relay = new ChatStreamRelay({
      model: call.facts.model.code,
      includeUsage: call.request.stream_options?.include_usage === true,
      answers: call.features.answers,
    });
    this.#framer = new SseFramer({
      charactersMax: FRAME_CHARACTERS_MAX,
      onFrame: (data) => {
        this.#out += this.#relay.frame(data);
      },
    });
    call.cancellation.onCancel(() => context.opened.call.abort());
    call.reply.onDrain(() => context.opened.call.resume());
  }

  data(chunk: Buffer): void {
    try {
      this.#framer.push(chunk.toString('latin1'));
    } catch (error) {
      if (!(error instanceof FrameTooLong)) throw error;
      this.#tooLong = true;
    }
    // A stream that says nothing ends by its silence, so the hour is looked at only when it speaks.
    const { clock, limits } = this.#tools;
    this.#timedOut = clock.elapsedMs() - this.#call.facts.startedMs > limits.streamTotalMs;
    if (this.#timedOut || this.#tooLong || this.#relay.fault !== null) this.#opened.call.abort();
    // One read of the socket often brings several frames, one call each: they leave in one write.
    if (this.#out !== '' && !this.#flushing) {
      this.#flushing = true;
      queueMicrotask(() => this.#flush());
    }
  }

  end(): void {
    this.#ended({ stream: this, failure: null });
  }

  fail(failure: UpstreamFailure): void {
    this.#ended({ stream: this, failure });
  }

  /** Settles the call; then, and only then, lets the caller see its end. */
  async finish(failure: UpstreamFailure | null): Promise<void> {
    this.#flush();
    const relay = this.#relay;
    const { reply, facts, request } = this.#call;
    const whole = relay.complete && !this.#tooLong;
    const problem = whole ? null : this.#problem(failure);
    const nothing = !whole && this.#firstByteMs === null && relay.usage === null;
    if (nothing) throw new AllRoutesFailed(problem as Problem, this.#opened.attempts, this.#opened.route);
    const { usage } = relay;
    const used =
      usage !== null
        ? reportedUsage(usage)
        : await countedUsage(
            { prompt: () => readPromptTexts(request), produced: () => relay.produced() },
            this.#tools.tokens,
          );
    const cost = await settleCall(
      facts,
      {
        route: this.#opened.route,
        attempts: this.#opened.attempts,
        usage: used.usage,
        usageSource: used.usageSource,
        outcome: whole && !reply.gone ? 'completed' : 'partial',
        // A caller who left broke nothing, and neither did the provider.
        problem: reply.gone ? null : (problem?.code ?? null),
        finishReason: relay.finishReason,
        firstByteMs: this.#firstByteMs,
      },
      this.#tools,
    );
    if (reply.gone) return;
    if (problem !== null) throw problem;
    this.#start();
    reply.endStream(relay.ending(cost));
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#out === '') return;
    const events = this.#out;
    this.#out = '';
    this.#start();
    if (!this.#call.reply.write(events)) this.#opened.call.pause();
  }

  #start(): void {
    if (this.#firstByteMs !== null) return;
    this.#firstByteMs = this.#tools.clock.elapsedMs() - this.#call.facts.startedMs;
    this.#call.reply.startStream(replyHeaders(this.#opened, this.#overheadMs));
  }

  #problem(failure: UpstreamFailure | null): Problem {
    const { fault } = this.#relay;
    if (this.#timedOut)
      return new Problem('upstream_timeout', { detail: 'The stream ran longer than it may.' });
    if (fault?.reason === 'provider_error') {
      return this.#opened.chat.problem(500, Buffer.from(JSON.stringify({ error: fault.error })));
    }
    if (fault !== null || this.#tooLong) {
      return new Problem('upstream_error', { detail: 'The provider sent a frame that cannot be read.' });
    }
    if (failure !== null) return failureProblem(failure);
    return new Problem('upstream_error', {
      detail: 'The provider ended the stream before the answer was whole.',
    });
  }
}
