/** Answers a call over HTTP: as one body, or as server-sent events, whose errors are events too. */
import type { CallReply, ReplyHeaders, WholeReply } from '../calls/call-reply.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { Exchange } from './exchange.ts';
import type { KeepAliveStream, KeepAliveTimer } from './keep-alive-timer.ts';

const KEEP_ALIVE_COMMENT = ': keep-alive\n\n';

export class HttpCallReply implements CallReply, KeepAliveStream {
  readonly #exchange: Exchange;
  readonly #keepAlive: KeepAliveTimer;
  readonly #clock: Clock;
  #goneListener: (() => void) | null = null;
  /** What to stop instead of this answer. */
  #stopListener: ((problem: Problem) => void) | null = null;
  #drainListener: (() => void) | null = null;
  #moreHeaders: (() => ReplyHeaders) | null = null;
  #writeFailure: (problem: Problem) => string = () => '';
  #writeKeepAlive: () => string = () => '';
  gone = false;
  stopped: Problem | null = null;
  place = -1;
  lastSentMs: number;

  constructor(exchange: Exchange, options: { streams: boolean; keepAlive: KeepAliveTimer; clock: Clock }) {
    this.#exchange = exchange;
    this.#keepAlive = options.keepAlive;
    this.#clock = options.clock;
    this.lastSentMs = options.clock.elapsedMs();
    const { response } = exchange;
    response.on('close', () => {
      this.#keepAlive.remove(this);
      if (response.writableFinished) return;
      this.gone = true;
      this.#tellGone();
    });
    exchange.onStop((problem) => this.#stop(problem));
    if (options.streams) {
      exchange.failInOwnFormat = (problem) => this.#fail(problem);
      options.keepAlive.add(this);
      response.on('drain', () => this.#drainListener?.());
    }
  }

  /** Hundreds of callers can disconnect at once, and ending a call costs as much as starting one. */
  #tellGone(): void {
    this.#exchange.runFairly(() => this.#goneListener?.());
  }

  #stop(problem: Problem): void {
    this.stopped = problem;
    if (this.#stopListener !== null) this.#stopListener(problem);
    else this.#goneListener?.();
  }

  onGone(listener: () => void): void {
    this.#goneListener = listener;
    if (this.gone || this.stopped !== null) listener();
  }

  /** The call goes on without its caller, so it has to be stopped itself. */
  onStop(listener: (problem: Problem) => void): void {
    this.#stopListener = listener;
    if (this.stopped !== null) listener(this.stopped);
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

  onSilence(write: () => string): void {
    this.#writeKeepAlive = write;
  }

  sendWhole({ body, headers }: WholeReply): void {
    if (!this.gone) this.#exchange.sendWhole(body, this.#withMore(headers));
  }

  startStream(headers: ReplyHeaders): void {
    const { response } = this.#exchange;
    if (this.gone || response.headersSent) return;
    response.becomeStream();
    // Proxies that buffer or rewrite would delay the answer.
    const own = { 'x-accel-buffering': 'no', ...this.#withMore(headers) };
    response.writeHead(200, this.#exchange.headers('text/event-stream; charset=utf-8', own));
  }

  write(events: string): boolean {
    if (this.gone) return true;
    this.lastSentMs = this.#clock.elapsedMs();
    return this.#exchange.response.write(events, 'latin1');
  }

  endStream(events: string): void {
    this.#keepAlive.remove(this);
    if (!this.gone) this.#exchange.response.end(events, 'latin1');
  }

  sendKeepAlive(): void {
    this.startStream({});
    this.write(this.#writeKeepAlive() || KEEP_ALIVE_COMMENT);
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
}
