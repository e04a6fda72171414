/**
 * The trace of a request: a server span, one client span per attempt at a provider, and the commit. This file is only the
 * interface. If traces are off, every trace is null and nothing of `traces/` is loaded.
 */
import type { ObservedTrace } from './series.ts';

export type SpanValue = string | number | boolean | readonly string[];
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

export interface RequestTrace extends ObservedTrace {
  /** Of the server span. */
  readonly spanId: string;
  /** Adds attributes to the server span. */
  describe(attributes: SpanAttributes): void;
  /** Starts the span of an attempt. Returns its `traceparent` header. */
  startAttempt(attempt: AttemptFacts): string;
  /** The attempt under way got no usable answer. */
  attemptFailed(code: string, status: number | null): void;
  /** What the provider names as the model of its answer. */
  answeredBy(model: string): void;
  /** The answer of the attempt under way is complete. */
  answerEnded(end: AnswerFacts): void;
  /** Starts the span of the commit. Call the returned function at its end. */
  startCommit(): (error: unknown) => void;
  /** Ends the server span, and every span that is still open. */
  end(status: number): void;
}

/** Where an attempt goes. */
export interface AttemptFacts {
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** In the semantic conventions, such as `chat`. */
  readonly operation: string;
  readonly route: string;
  /** The code that the caller used, and the name at the provider. */
  readonly model: string;
  readonly upstreamModel: string;
  readonly provider: TracedProvider;
}

export interface TracedProvider {
  /** The name in the configuration. */
  readonly name: string;
  /** The name in the semantic conventions, where they have one. */
  readonly system: string;
  readonly address: string;
  readonly port: number;
  /** Whether the provider gets the `traceparent` header. */
  readonly propagates: boolean;
}

export interface AnswerFacts {
  readonly outcome: 'completed' | 'partial' | 'failed';
  readonly problem: string | null;
  readonly finishReason: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly cachedInputTokens: number;
    readonly cacheWriteTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens: number;
  } | null;
  readonly firstByteMs: number | null;
}

export interface BegunRequest {
  /** The header of the caller. */
  readonly traceparent: string | undefined;
  readonly method: string;
  /** The path of the endpoint, with `{names}`. */
  readonly path: string;
  readonly startedAt: number;
  /** On the monotonic scale of the clock. */
  readonly startedMs: number;
}

export interface Tracer {
  begin(request: BegunRequest): RequestTrace;
  /** Sends what is left, for at most `limitMs`. */
  stop(limitMs: number): Promise<void>;
}

/** The fields of a log line about a request. */
export function traceFields(trace: RequestTrace | null): { trace_id?: string; span_id?: string } {
  return trace === null ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
}
