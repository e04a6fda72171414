/**
 * Sends spans to a collector, in batches and in the background. Nothing waits for it: if the queue is full, or the
 * collector does not accept a batch, spans are dropped and counted.
 */
import { parseObject } from '../../json/read-json.ts';
import { type Clock, pause } from '../../kernel/time.ts';
import { type SpanSource, writeSpans } from './otlp-json.ts';
import type { Span } from './span.ts';

/** As OpenTelemetry's own exporters. */
const BATCH_SPANS_MAX = 512;
const ATTEMPTS_MAX = 3;
const RETRY_MS = 1_000;
const RETRIED: readonly number[] = [429, 502, 503, 504];

export interface ExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How long a span waits for others, if they do not fill a batch. */
  readonly delayMs: number;
  /** Spans above this number are dropped. */
  readonly queueSpansMax: number;
  readonly source: SpanSource;
  readonly clock: Clock;
  readonly onEnded: (result: 'exported' | 'dropped', spans: number) => void;
  /** Called when sending begins to fail, and with null when it works again. */
  readonly onTrouble: (error: unknown) => void;
}

type Sent = { readonly rejected: number } | { readonly error: Error; readonly again: boolean };

export class SpanExporter {
  readonly #options: ExporterOptions;
  readonly #stopping = new AbortController();
  #queue: Span[] = [];
  #sending: Promise<void> | null = null;
  #cancelTimer: (() => void) | null = null;
  #failing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    const { clock, delayMs, queueSpansMax, onEnded } = this.#options;
    if (this.#queue.length >= queueSpansMax || this.#stopping.signal.aborted) {
      onEnded('dropped', 1);
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= Math.min(BATCH_SPANS_MAX, queueSpansMax)) this.#sendAll();
    else this.#cancelTimer ??= clock.after(delayMs, () => this.#sendAll());
  }

  /** Sends what is left, for at most `limitMs`; the rest is dropped. */
  async stop(limitMs: number): Promise<void> {
    const giveUp = this.#options.clock.after(limitMs, () => this.#stopping.abort());
    this.#sendAll();
    await this.#sending;
    giveUp();
    this.#cancelTimer?.();
    this.#stopping.abort();
  }

  #sendAll(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#sending ??= this.#work().finally(() => {
      this.#sending = null;
    });
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH_SPANS_MAX);
      this.#queue = this.#queue.slice(BATCH_SPANS_MAX);
      await this.#send(batch);
    }
  }

  async #send(batch: readonly Span[]): Promise<void> {
    const { clock, source, onEnded } = this.#options;
    const body = writeSpans(batch, source);
    for (let attempt = 1; ; attempt++) {
      const sent = await this.#post(body, batch.length);
      if ('rejected' in sent) {
        this.#report(null);
        onEnded('exported', batch.length - sent.rejected);
        if (sent.rejected > 0) onEnded('dropped', sent.rejected);
        return;
      }
      const { aborted } = this.#stopping.signal;
      if (!sent.again || attempt === ATTEMPTS_MAX || aborted) {
        this.#report(sent.error);
        onEnded('dropped', batch.length);
        return;
      }
      await pause(clock, RETRY_MS * attempt, this.#stopping.signal);
    }
  }

  async #post(body: string, spans: number): Promise<Sent> {
    const { url, headers, timeoutMs, clock } = this.#options;
    const late = new AbortController();
    const cancelTimer = clock.after(timeoutMs, () => late.abort());
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([late.signal, this.#stopping.signal]),
      });
      const text = await answer.text();
      if (answer.ok) return { rejected: rejectedSpans(text, spans) };
      const error = new Error(`the collector answered with status ${answer.status}`);
      return { error, again: RETRIED.includes(answer.status) };
    } catch (error) {
      return { error: error as Error, again: true };
    } finally {
      cancelTimer();
    }
  }

  #report(error: Error | null): void {
    if (this.#failing === (error !== null)) return;
    this.#failing = error !== null;
    this.#options.onTrouble(error);
  }
}

/** A collector may accept a part of a batch. */
function rejectedSpans(answer: string, sent: number): number {
  const partial = parseObject(answer)?.partialSuccess as { rejectedSpans?: unknown } | undefined;
  const rejected = Number(partial?.rejectedSpans ?? 0);
  return Number.isSafeInteger(rejected) && rejected > 0 ? Math.min(rejected, sent) : 0;
}
