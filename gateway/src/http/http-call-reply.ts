/** Answers a call over HTTP: as one body, or as server-sent events, whose errors are events too. */
import type { CallReply, ReplyHeaders } from '../calls/call-reply.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { OpenLimits } from '../metering/open-limits.ts';
import type { Exchange } from './exchange.ts';
import type { KeepAliveStream, KeepAliveTimer } from './keep-alive-timer.ts';
import type { BodyLimits } from './read-body.ts';
import { cutStreamIfStalled } from './stalled-caller.ts';

/** Options of every route for text calls. */
export interface TextRouteOptions {
  readonly body: BodyLimits;
  readonly keepAlive: KeepAliveTimer;
  readonly openStreams: OpenLimits;
}

export class HttpCallReply implements CallReply, KeepAliveStream {
  readonly #exchange: Exchange;
  readonly #keepAlive: KeepAliveTimer;
  readonly #clock: Clock;
  #goneListener: (() => void) | null = null;
  #drainListener: (() => void) | null = null;
  #moreHeaders: (() => ReplyHeaders) | null = null;
  #notStalled: (() => void) | null = null;
  #writeFailure: (problem: Problem) => string = () => '';
  /** False for HTTP/1.0 clients, whose streams end with the connection. */
  #framesChunks = false;
  #headSent = false;
  gone = false;
  lastSentMs: number;

  constructor(exchange: Exchange, options: { streams: boolean; keepAlive: KeepAliveTimer; clock: Clock }) {
    this.#exchange = exchange;
    this.#keepAlive = options.keepAlive;
    this.#clock = options.clock;
    this.lastSentMs = options.clock.elapsedMs();
    const { response } = exchange;
    const { socket } = response;
    const drained = (): void => {
      this.#notStalled?.();
      this.#notStalled = null;
      this.#drainListener?.();
    };
    response.on('close', () => {
      this.#keepAlive.remove(this);
      this.#notStalled?.();
      socket?.off('drain', drained);
      if (response.writableFinished) return;
      this.gone = true;
      this.#tellGone();
    });
    if (options.streams) {
      exchange.failInOwnFormat = (problem) => this.#fail(problem);
      options.keepAlive.add(this);
      // On the socket, because all writes but the first go to it directly.
      socket?.on('drain', drained);
    }
  }

  /** Hundreds of callers can disconnect at once, and ending a call costs as much as starting one. */
  #tellGone(): void {
    this.#exchange.runFairly(() => this.#goneListener?.());
  }

  onGone(listener: () => void): void {
    this.#goneListener = listener;
    if (this.gone) listener();
  }

  onHead(headers: () => ReplyHeaders): void {
    this.#moreHeaders = headers;
  }

  onDrain(listener: () => void): void {
    this.#drainListener = listener;
  }

  onFail(write: (problem: Problem) => string): void {
    this.#writeFailure = write;
  }

  sendJson(body: string | readonly Buffer[], headers: ReplyHeaders): void {
    if (this.gone) return;
    const all = this.#withMore(headers);
    if (typeof body === 'string') this.#exchange.sendJsonBytes(200, body, all);
    else this.#exchange.sendJsonPieces(200, body, all);
  }

  startStream(headers: ReplyHeaders): void {
    const { response } = this.#exchange;
    if (this.gone || response.headersSent) return;
    // Proxies that buffer or rewrite would delay the answer.
    const own = { 'x-accel-buffering': 'no', ...this.#withMore(headers) };
    response.writeHead(200, this.#exchange.headers('text/event-stream; charset=utf-8', own));
    // Node would write each chunk in four pieces; framing them ourselves makes it one.
    this.#framesChunks = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  write(events: string): boolean {
    if (this.gone) return true;
    this.lastSentMs = this.#clock.elapsedMs();
    const { response } = this.#exchange;
    const { socket } = response;
    // The first write includes the head. Later chunks are framed already, and writing them to the response would
    // delay each to the next tick.
    if (this.#headSent && socket !== null) {
      const taken = socket.write(this.#chunk(events), 'latin1');
      if (!taken) this.#notStalled ??= cutStreamIfStalled(socket, this.#clock);
      return taken;
    }
    this.#headSent = true;
    return response.write(this.#chunk(events), 'latin1');
  }

  endStream(events: string): void {
    this.#keepAlive.remove(this);
    if (!this.gone) this.#exchange.response.end(this.#chunk(events) + this.#lastChunk(), 'latin1');
  }

  sendKeepAlive(): void {
    this.startStream({});
    this.write(': keep-alive\n\n');
  }

  /** Before the stream has begun an error is an HTTP status; after that it is the last event, without an end marker. */
  #fail(problem: Problem): void {
    this.#keepAlive.remove(this);
    if (this.gone) return;
    if (!this.#exchange.response.headersSent) this.#exchange.sendProblem(problem);
    else this.endStream(this.#writeFailure(problem));
  }

  #withMore(headers: ReplyHeaders): ReplyHeaders {
    return this.#moreHeaders === null ? headers : { ...headers, ...this.#moreHeaders() };
  }

  #chunk(events: string): string {
    return this.#framesChunks ? `${events.length.toString(16)}\r\n${events}\r\n` : events;
  }

  #lastChunk(): string {
    return this.#framesChunks ? '0\r\n\r\n' : '';
  }
}
