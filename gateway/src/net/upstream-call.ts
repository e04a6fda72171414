/** The interface of a call to a provider, between its caller and the connection. */
import type { ResponseHeaders } from './response-head.ts';

/** Receives a body; exactly one of `end` and `fail` is called, once, at the end. */
export interface BodySink {
  /** The bytes are only valid during this call; copy what you keep. */
  data(chunk: Buffer): void;
  end(): void;
  fail(failure: UpstreamFailure): void;
}

/** Receives the head of the answer and returns the sink for the body; `fail` is called if no head comes. */
export interface UpstreamHandler {
  head(status: number, headers: ResponseHeaders): BodySink;
  fail(failure: UpstreamFailure): void;
  /** The deadline for the complete answer, in `elapsedMs` of the clock; a `timeout` after it. */
  readonly untilMs?: number;
  /** A header of this call only, for providers that take part in traces. */
  readonly traceparent?: string | undefined;
}

/** A call in flight. */
export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink (or handler) fails with `aborted`. */
  abort(): void;
}

/** Why there is no complete answer. `connect` and `reset`: not one byte of an answer came. */
export type UpstreamFailureKind = 'connect' | 'reset' | 'timeout' | 'cut' | 'aborted';

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: UpstreamFailureKind;
  constructor(kind: UpstreamFailureKind, cause?: unknown) {
    super(`upstream ${kind}: ${(cause as Error | undefined)?.message ?? ''}`, { cause });
    this.kind = kind;
  }

  /** Whether this machine ran out of ports, files or memory. */
  get ours(): boolean {
    return OUR_SHORTAGES.has((this.cause as { code?: string } | undefined)?.code ?? '');
  }
}

const OUR_SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);
