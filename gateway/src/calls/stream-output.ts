/**
 * What of a stream goes to the caller: events are collected for a moment and written together, and a provider that writes
 * faster than the caller reads is paused.
 */
import { type CallTools, replyHeaders } from './call-tools.ts';
import type { RunningText } from './text-request.ts';
import type { OpenedAnswer } from './upstream-request.ts';
import { COALESCE_MS, COALESCED_CHARACTERS_MAX, type CoalescedStream } from './write-coalescer.ts';

export class StreamOutput implements CoalescedStream {
  readonly #call: Pick<RunningText<unknown>, 'facts' | 'reply'>;
  readonly #opened: OpenedAnswer;
  readonly #tools: Pick<CallTools, 'clock' | 'coalescer' | 'onPaused'>;
  readonly #overheadMs: number;
  #events = '';
  #flushing = false;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #paused = false;
  /** Null: nothing was sent yet. */
  firstByteMs: number | null = null;

  constructor(
    call: Pick<RunningText<unknown>, 'facts' | 'reply'>,
    of: {
      opened: OpenedAnswer;
      overheadMs: number;
      tools: Pick<CallTools, 'clock' | 'coalescer' | 'onPaused'>;
    },
  ) {
    this.#call = call;
    this.#opened = of.opened;
    this.#overheadMs = of.overheadMs;
    this.#tools = of.tools;
    this.listen();
  }

  /** The reply has one listener: the stream that writes to it. */
  listen(): void {
    this.#call.reply.onDrain(() => this.resume());
  }

  /** Adds events, which leave with `flushSoon` or `flush`. */
  add(events: string): void {
    this.#events += events;
  }

  /** Whether something was sent, or is about to be. */
  get begun(): boolean {
    return this.firstByteMs !== null || this.#events !== '';
  }

  /** Whether more is collected than should be. */
  get isLong(): boolean {
    return this.#events.length > COALESCED_CHARACTERS_MAX;
  }

  flushSoon(nowMs: number): void {
    if (this.isLong) this.flush();
    if (this.#events === '' || this.#flushing) return;
    this.#flushing = true;
    if (nowMs - this.#flushedMs < COALESCE_MS) this.#tools.coalescer.flushSoon(this);
    // One read of the socket often has several frames, each with a call of its own: they are written together.
    else queueMicrotask(() => this.flush());
  }

  flush(): void {
    this.#flushing = false;
    if (this.#events === '') return;
    const events = this.#events;
    this.#events = '';
    this.#flushedMs = this.#tools.clock.elapsedMs();
    this.start();
    if (!this.#call.reply.write(events)) this.#pause();
  }

  start(): void {
    if (this.firstByteMs !== null) return;
    this.firstByteMs = this.#tools.clock.elapsedMs() - this.#call.facts.startedMs;
    this.#call.reply.startStream(replyHeaders(this.#opened, this.#call.facts.model, this.#overheadMs));
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#tools.onPaused(-1);
    this.#opened.call.resume();
  }

  /** The caller reads more slowly than the provider writes: stop reading until it has caught up. */
  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#tools.onPaused(1);
    this.#opened.call.pause();
  }
}
