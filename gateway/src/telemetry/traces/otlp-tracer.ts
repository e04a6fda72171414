/** Records the traces of requests and sends them to a collector (docs/tracing.md). Loaded only if traces are on. */
import type { Clock } from '../../kernel/time.ts';
import type {
  AnswerFacts,
  AttemptFacts,
  BegunRequest,
  RequestTrace,
  SpanAttributes,
  Tracer,
} from '../trace.ts';
import { isSampled, type SamplerSettings } from './sampler.ts';
import { Span, type SpanKind } from './span.ts';
import { type ExporterOptions, SpanExporter } from './span-exporter.ts';
import { newSpanId, newTraceId, readTraceparent, writeTraceparent } from './traceparent.ts';

export interface TracerOptions extends ExporterOptions {
  readonly sampler: SamplerSettings;
}

export class OtlpTracer implements Tracer {
  readonly #sampler: SamplerSettings;
  readonly #clock: Clock;
  readonly #exporter: SpanExporter;

  constructor(options: TracerOptions) {
    this.#sampler = options.sampler;
    this.#clock = options.clock;
    this.#exporter = new SpanExporter(options);
  }

  begin(request: BegunRequest): RequestTrace {
    const parent = readTraceparent(request.traceparent);
    const traceId = parent?.traceId ?? newTraceId();
    if (!isSampled(this.#sampler, traceId, parent)) return new UnsampledTrace(traceId);
    const { method, path, startedAt, startedMs } = request;
    const clock = { startedAt, startedMs, elapsedMs: () => this.#clock.elapsedMs() };
    const server = new Span({
      name: `${method} ${path}`,
      kind: 'server',
      traceId,
      parentId: parent?.spanId ?? null,
      startMs: startedAt,
      attributes: { 'http.request.method': method, 'http.route': path },
    });
    return new SampledTrace(server, clock, (span) => this.#exporter.add(span));
  }

  async stop(limitMs: number): Promise<void> {
    await this.#exporter.stop(limitMs);
  }
}

/** Has ids for log lines and for providers, and records nothing. */
class UnsampledTrace implements RequestTrace {
  readonly sampled = false;
  readonly traceId: string;
  readonly spanId = newSpanId();

  constructor(traceId: string) {
    this.traceId = traceId;
  }

  startAttempt(): string {
    return writeTraceparent(this);
  }

  startCommit(): () => void {
    return () => undefined;
  }

  describe(): void {}
  attemptFailed(): void {}
  answeredBy(): void {}
  answerEnded(): void {}
  end(): void {}
}

/** The clock of a request: wall time at its start, monotonic time from there. */
interface RequestClock {
  readonly startedAt: number;
  readonly startedMs: number;
  elapsedMs(): number;
}

class SampledTrace implements RequestTrace {
  readonly sampled = true;
  readonly #server: Span;
  readonly #clock: RequestClock;
  readonly #onEnded: (span: Span) => void;
  #attempt: Span | null = null;
  #ended = false;

  constructor(server: Span, clock: RequestClock, onEnded: (span: Span) => void) {
    this.#server = server;
    this.#clock = clock;
    this.#onEnded = onEnded;
  }

  get traceId(): string {
    return this.#server.traceId;
  }

  get spanId(): string {
    return this.#server.spanId;
  }

  describe(attributes: SpanAttributes): void {
    this.#server.describe(attributes);
  }

  startAttempt(facts: AttemptFacts): string {
    const { operation, upstreamModel, provider } = facts;
    this.#attempt = this.#start(`${operation} ${upstreamModel}`, 'client', {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider.system,
      'gen_ai.request.model': upstreamModel,
      'server.address': provider.address,
      'server.port': provider.port,
      'tollgate.model': facts.model,
      'tollgate.provider': provider.name,
      'tollgate.route': facts.route,
      'tollgate.attempt': facts.attempt,
    });
    return writeTraceparent({ traceId: this.traceId, spanId: this.#attempt.spanId, sampled: true });
  }

  attemptFailed(code: string, status: number | null): void {
    if (status !== null) this.#attempt?.describe({ 'http.response.status_code': status });
    this.#attempt?.fail(code);
    this.#endAttempt();
  }

  answeredBy(model: string): void {
    this.#attempt?.describe({ 'gen_ai.response.model': model });
  }

  answerEnded({ outcome, problem, finishReason, usage, firstByteMs }: AnswerFacts): void {
    const attempt = this.#attempt;
    if (attempt === null) return;
    attempt.describe({
      'tollgate.outcome': outcome,
      ...(finishReason !== null && { 'gen_ai.response.finish_reasons': [finishReason] }),
      ...(firstByteMs !== null && { 'tollgate.first_token_seconds': firstByteMs / 1000 }),
      ...(usage !== null && {
        'gen_ai.usage.input_tokens': usage.inputTokens,
        'gen_ai.usage.output_tokens': usage.outputTokens,
        'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
        'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
        'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
      }),
    });
    if (problem !== null) attempt.fail(problem);
    this.#endAttempt();
  }

  startCommit(): (error: unknown) => void {
    const commit = this.#start('commit call', 'internal', {});
    return (error) => {
      if (error !== null) commit.fail(error instanceof Error ? error.name : 'unknown');
      this.#endSpan(commit);
    };
  }

  end(status: number): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#endAttempt();
    this.#server.describe({ 'http.response.status_code': status });
    // An error of the caller is not an error of the server.
    if (status >= 500) this.#server.fail(String(status));
    this.#endSpan(this.#server);
  }

  #start(name: string, kind: SpanKind, attributes: SpanAttributes): Span {
    const { traceId, spanId: parentId } = this.#server;
    return new Span({ name, kind, traceId, parentId, startMs: this.#now(), attributes });
  }

  #endAttempt(): void {
    if (this.#attempt === null) return;
    this.#endSpan(this.#attempt);
    this.#attempt = null;
  }

  #endSpan(span: Span): void {
    span.endMs = this.#now();
    this.#onEnded(span);
  }

  #now(): number {
    const { startedAt, startedMs } = this.#clock;
    return startedAt + this.#clock.elapsedMs() - startedMs;
  }
}
