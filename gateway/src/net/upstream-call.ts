/** A call to a provider, as those who make it and those who carry it agree on it. */
import type { ResponseHeaders } from './response-parser.ts';

/** Takes a body; exactly one of `end` and `fail` is called, once, as the last thing. */
export interface BodySink {
  /** The bytes are lent for the time of the call: copy what is kept. */
  data(chunk: Buffer): void;
  end(): void;
  fail(failure: UpstreamFailure): void;
}

/** Gets the head of the answer and says where the body goes; `fail` if no head ever comes. */
export interface UpstreamHandler {
  head(status: number, headers: ResponseHeaders): BodySink;
  fail(failure: UpstreamFailure): void;
  /** When the answer must have come in full, on the clock's own scale; it is a `timeout` then. */
  readonly untilMs?: number;
}

/** A call under way. */
export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink (or handler) is told `aborted`. */
  abort(): void;
}

/** Why no whole answer came. `connect` and `reset` mean that not one byte of an answer came. */
export type UpstreamFailureKind = 'connect' | 'reset' | 'timeout' | 'cut' | 'aborted';

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: UpstreamFailureKind;
  constructor(kind: UpstreamFailureKind, cause?: unknown) {
    super(`upstream ${kind}: ${(cause as Error | undefined)?.message ?? ''}`, { cause });
    this.kind = kind;
  }

  /** This machine had nothing left to connect with. */
  get ours(): boolean {
    return OUR_SHORTAGES.has((this.cause as { code?: string } | undefined)?.code ?? '');
  }
}

const OUR_SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);
