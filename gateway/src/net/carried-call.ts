/** A call on a connection: what the connection and the caller see of it. */
import type { ResponseHeaders } from './response-head.ts';
import type {
  BodySink,
  UpstreamCall,
  UpstreamFailure,
  UpstreamFailureKind,
  UpstreamHandler,
} from './upstream-call.ts';

/** The connection, for a call. */
interface Carrier {
  pause(): void;
  resume(): void;
  fail(kind: UpstreamFailureKind, cause: unknown): void;
}

export class CarriedCall implements UpstreamCall {
  readonly #connection: Carrier;
  readonly #handler: UpstreamHandler;
  readonly untilMs: number;
  #sink: BodySink | null = null;
  #over = false;

  constructor(connection: Carrier, handler: UpstreamHandler) {
    this.#connection = connection;
    this.#handler = handler;
    this.untilMs = handler.untilMs ?? Number.POSITIVE_INFINITY;
  }

  pause(): void {
    if (!this.#over) this.#connection.pause();
  }

  resume(): void {
    if (!this.#over) this.#connection.resume();
  }

  abort(): void {
    if (!this.#over) this.#connection.fail('aborted', new Error('aborted by the gateway'));
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#sink = this.#handler.head(status, headers);
  }

  data(chunk: Buffer): void {
    if (!this.#over) this.#sink?.data(chunk);
  }

  end(): void {
    this.#over = true;
    this.#sink?.end();
  }

  fail(failure: UpstreamFailure): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#sink === null) this.#handler.fail(failure);
    else this.#sink.fail(failure);
  }

  /** Before the head, nothing of an answer has arrived. */
  get lostKind(): UpstreamFailureKind {
    return this.#sink === null ? 'reset' : 'cut';
  }
}
