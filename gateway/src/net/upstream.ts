/**
 * HTTP to a provider over kept-alive connections. Callbacks, not streams or promises: the relay
 * forwards each chunk as it comes, and that is where a gateway's time goes.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';

export interface UpstreamOptions {
  readonly baseUrl: string;
  readonly connectTimeoutMs: number;
  /** How long a provider may be silent, before its first byte and between any two. */
  readonly silenceTimeoutMs: number;
  readonly connectionsMax?: number;
}

export interface UpstreamRequest {
  /** Appended to the base URL. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** `connect` and `reset` mean that not one byte of an answer came. */
export type UpstreamFailureKind = 'connect' | 'reset' | 'timeout' | 'cut' | 'aborted';

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly kind: UpstreamFailureKind;
  constructor(kind: UpstreamFailureKind, cause?: unknown) {
    super(`upstream ${kind}: ${(cause as Error | undefined)?.message ?? ''}`, { cause });
    this.kind = kind;
  }
}

/** Takes a body; exactly one of `end` and `fail` is called, once, as the last thing. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  fail(failure: UpstreamFailure): void;
}

/** Gets the head of the answer and says where the body goes; `fail` if no head ever comes. */
export interface UpstreamHandler {
  head(status: number, headers: IncomingHttpHeaders): BodySink;
  fail(failure: UpstreamFailure): void;
}

/** A call under way. */
export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink (or handler) is told `aborted`. */
  abort(): void;
}

const CONNECTIONS_MAX = 10_000;
const KEEP_ALIVE_MS = 30_000;
const HEADER_BYTES_MAX = 64 * 1024;

export class UpstreamClient {
  readonly #pool: Pool;
  readonly #basePath: string;
  readonly #silenceTimeoutMs: number;

  constructor(options: UpstreamOptions) {
    const url = new URL(options.baseUrl);
    this.#basePath = url.pathname.replace(/\/$/, '');
    this.#silenceTimeoutMs = options.silenceTimeoutMs;
    this.#pool = new Pool(url.origin, {
      connections: options.connectionsMax ?? CONNECTIONS_MAX,
      connect: { timeout: options.connectTimeoutMs },
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      pipelining: 1,
    });
  }

  post(request: UpstreamRequest, handler: UpstreamHandler): UpstreamCall {
    const exchange = new Exchange(handler);
    this.#pool.dispatch(
      {
        path: this.#basePath + request.path,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        headersTimeout: this.#silenceTimeoutMs,
        bodyTimeout: this.#silenceTimeoutMs,
      },
      exchange,
    );
    return exchange;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

type Controller = { abort(reason: Error): void; pause(): void; resume(): void };

/** One call, seen by undici as its handler and by us as a thing to pause and abort. */
class Exchange implements UpstreamCall {
  readonly #handler: UpstreamHandler;
  #controller: Controller | null = null;
  #sink: BodySink | null = null;
  #aborted = false;
  #ended = false;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#ended || this.#aborted) return;
    this.#aborted = true;
    this.#controller?.abort(new Error('aborted by the gateway'));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(new Error('aborted by the gateway'));
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    // Informational answers (1xx) precede the real one.
    if (status >= 200) this.#sink = this.#handler.head(status, headers);
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    this.#sink?.data(chunk);
  }

  onResponseEnd(): void {
    this.#ended = true;
    this.#sink?.end();
  }

  onResponseError(_: Controller, error: Error): void {
    this.#ended = true;
    const failure = new UpstreamFailure(this.#failureKind(error), error);
    if (this.#sink === null) this.#handler.fail(failure);
    else this.#sink.fail(failure);
  }

  #failureKind(error: Error & { code?: string }): UpstreamFailureKind {
    if (this.#aborted) return 'aborted';
    const { code = '' } = error;
    if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timeout';
    if (this.#sink !== null || ANSWER_ERRORS.test(code)) return 'cut';
    return CONNECT_ERRORS.test(code) ? 'connect' : 'reset';
  }
}

/** An answer came, but it was not HTTP that can be read. */
const ANSWER_ERRORS = /^(HPE_.*|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE.*|UND_ERR_REQ_CONTENT.*)$/;

const CONNECT_ERRORS =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS.*|CERT_.*|DEPTH_ZERO.*|UNABLE_TO.*)$/;
