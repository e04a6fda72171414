/** One connection to a provider: carries one call at a time, then waits for the next. */

import type { Socket } from 'node:net';
import { KIB } from '../kernel/bytes.ts';
import type { Clock } from '../kernel/time.ts';
import type { PausedReader, TurnBudget } from '../kernel/turn-budget.ts';
import { CarriedCall } from './carried-call.ts';
import { hasUnread, seesUnread } from './has-unread-bytes.ts';
import { proxyUnreachable } from './open-tunnel.ts';
import type { ForwardProxy } from './proxies.ts';
import { RequestWriter } from './request-writer.ts';
import type { ResponseHeaders } from './response-head.ts';
import { type ResponseEvents, ResponseParser } from './response-parser.ts';
import {
  type UpstreamCall,
  UpstreamFailure,
  type UpstreamFailureKind,
  type UpstreamHandler,
} from './upstream-call.ts';

export interface ConnectionOwner {
  /** The connection carries no call and may take one. */
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** The provider sent unsolicited bytes. */
  onSurplus(): void;
  /** Whether connections may carry more than one call. */
  readonly reuses: boolean;
  /** Shared by all large answers. */
  readonly largeAnswers: TurnBudget;
  /** Shared by all large request bodies. */
  readonly largeBodies: TurnBudget;
}

/** How long an idle connection is kept, unless the provider says otherwise. */
const IDLE_MS_MAX = 30_000;
/** We close a little earlier than the provider announced. */
const IDLE_MARGIN_MS = 1_000;
/** Unsolicited bytes after an answer usually arrive within this time, and must not answer the next call. */
const REST_MS = 5;
/** Larger answers share an event-loop budget: they arrive in long bursts. */
const SMALL_ANSWER_BYTES = 64 * KIB;

export class Connection implements ResponseEvents {
  #socket: Socket;
  /** The proxy that the socket is connecting to; null once it is reached, or without one. */
  #atProxy: ForwardProxy | null;
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  #call: CarriedCall | null = null;
  readonly #parser = new ResponseParser(this);
  readonly #secure: boolean;
  #connected = false;
  #closed = false;
  /** Writes the request of the call, once connected; null when it is written. */
  #write: (() => void) | null = null;
  /** The call whose answer is complete, while the bytes that brought its end are still being read. */
  #answered: { call: CarriedCall; reusable: boolean } | null = null;
  #paused = false;
  #movedMs: number;
  #answerBytes = 0;
  readonly #writer: RequestWriter;
  #idleMsMax = IDLE_MS_MAX;
  /** Resumes a large answer that paused for an event-loop turn. */
  readonly #reader: PausedReader = {
    resume: () => {
      if (!this.#paused) this.#socket.resume();
    },
  };

  /** Where the provider is reached through a proxy, `tunnel` calls back with the socket to the provider. */
  constructor(
    socket: Socket,
    options: {
      clock: Clock;
      owner: ConnectionOwner;
      secure: boolean;
      proxy?: ForwardProxy | null;
      tunnel?: ((socket: Socket, ready: (through: Socket) => void) => void) | null;
    },
  ) {
    this.#socket = socket;
    this.#atProxy = options.proxy ?? null;
    this.#clock = options.clock;
    this.#owner = options.owner;
    this.#secure = options.secure;
    this.#writer = new RequestWriter(options.owner.largeBodies, () => {
      this.#movedMs = this.#clock.elapsedMs();
    });
    this.#movedMs = options.clock.elapsedMs();
    socket.setNoDelay(true);
    const { tunnel = null } = options;
    if (tunnel === null) this.#listen(socket);
    else {
      const onError = (error: Error): void => this.#close(error);
      const onClose = (): void => this.#close(new Error('closed'));
      socket.on('error', onError).on('close', onClose);
      tunnel(socket, (through) => {
        // From here on the outer socket reports everything.
        socket
          .off('error', onError)
          .off('close', onClose)
          .on('error', () => undefined);
        this.#socket = through;
        this.#atProxy = null;
        this.#listen(through);
        if (!this.#secure) this.#connect();
      });
    }
  }

  #listen(socket: Socket): void {
    socket.once(this.#secure ? 'secureConnect' : 'connect', () => this.#connect());
    socket.on('end', () => this.#ended());
    socket.on('error', (error) => this.#close(error));
    socket.on('close', () => this.#close(new Error('closed')));
  }

  /** Sends a request. The connection must be new or idle. */
  send(head: string, body: Buffer | readonly Buffer[], handler: UpstreamHandler): UpstreamCall {
    const call = new CarriedCall(this, handler);
    this.#call = call;
    this.#movedMs = this.#clock.elapsedMs();
    this.#parser.reset();
    this.#answerBytes = 0;
    const write = (): void => this.#writer.write(this.#socket, head, body);
    if (this.#connected) write();
    else this.#write = write;
    return call;
  }

  pause(): void {
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#movedMs = this.#clock.elapsedMs();
    this.#socket.resume();
  }

  /** Fails the current call and closes the connection. */
  fail(kind: UpstreamFailureKind, cause: unknown): void {
    const call = this.#call;
    this.#call = null;
    this.destroy();
    const why = kind === 'connect' && this.#atProxy !== null ? proxyUnreachable(this.#atProxy, cause) : cause;
    call?.fail(new UpstreamFailure(kind, why));
  }

  destroy(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#owner.largeAnswers.remove(this.#reader);
    this.#writer.stop();
    this.#socket.destroy();
    this.#owner.onClosed(this);
  }

  /** Called regularly: enforces timeouts and closes idle connections. */
  look(nowMs: number, limits: { connectMs: number; silenceMs: number }): void {
    const quietMs = nowMs - this.#movedMs;
    const call = this.#call;
    if (call === null) {
      if (quietMs >= this.#idleMsMax) this.destroy();
    } else if (nowMs >= call.untilMs) {
      this.fail('timeout', new Error('the answer took too long in total'));
    } else if (!this.#connected) {
      if (quietMs >= limits.connectMs) this.fail('connect', new Error('connecting took too long'));
    } else if (!this.#paused && quietMs >= limits.silenceMs) {
      this.fail('timeout', new Error('the provider is silent'));
    }
  }

  /** Whether it has been silent long enough after its last answer to be used again. */
  rested(nowMs: number): boolean {
    return this.#closed || nowMs - this.#movedMs >= REST_MS;
  }

  get usable(): boolean {
    return !this.#closed && this.#clock.elapsedMs() - this.#movedMs < this.#idleMsMax;
  }

  #connect(): void {
    this.#connected = true;
    this.#atProxy = null;
    this.#movedMs = this.#clock.elapsedMs();
    // Bytes that came with the end of the handshake are read first.
    if (this.#secure || !seesUnread) setImmediate(() => this.#writeWaiting());
    else if (hasUnread(this.#socket)) this.#spokeFirst();
    else this.#writeWaiting();
  }

  #writeWaiting(): void {
    const write = this.#write;
    this.#write = null;
    if (!this.#closed) write?.();
  }

  /** Nothing of the request was sent, so it can be sent elsewhere. */
  #spokeFirst(): void {
    if (this.#call === null) this.#owner.onSurplus();
    this.fail('connect', new Error('the server sent something before it was asked'));
  }

  /** Called with what the socket read; the bytes are only valid during the call. */
  read(read: Buffer): void {
    this.#movedMs = this.#clock.elapsedMs();
    // Unsolicited.
    if (this.#call === null || this.#write !== null) {
      this.#spokeFirst();
      return;
    }
    this.#answerBytes += read.length;
    if (this.#answerBytes > SMALL_ANSWER_BYTES && !this.#owner.largeAnswers.spend(this.#reader, read.length))
      this.#socket.pause();
    try {
      this.#parser.push(read);
    } catch (error) {
      // Errors of the sink end here too: one bad answer must not crash the process.
      if (this.#answered !== null) this.#owner.onSurplus();
      this.fail('cut', error);
    }
    this.#release();
  }

  head(status: number, headers: ResponseHeaders): void {
    const { 'keep-alive': keepAlive } = headers;
    if (keepAlive !== undefined) this.#noteIdleTime(keepAlive);
    // A success before the request is complete cannot be its answer. Errors may come early.
    if (status < 400 && this.#writer.isSending) {
      this.fail('reset', new Error('an answer came before the request was sent'));
      return;
    }
    this.#call?.head(status, headers);
  }

  #noteIdleTime(keepAlive: string): void {
    const hint = /\btimeout=(\d{1,6})/.exec(keepAlive)?.[1];
    if (hint === undefined) return;
    this.#idleMsMax = Math.min(IDLE_MS_MAX, Math.max(0, Number(hint) * 1000 - IDLE_MARGIN_MS));
  }

  data(chunk: Buffer): void {
    this.#call?.data(chunk);
  }

  end(reusable: boolean): void {
    const call = this.#call;
    // A sink may have aborted its own call at the last moment.
    if (call === null) return;
    this.#call = null;
    this.#answered = { call, reusable };
  }

  /** Finishes a call whose answer is complete; only now is it known that nothing followed it. */
  #release(): void {
    const answered = this.#answered;
    if (answered === null) return;
    this.#answered = null;
    // If the answer came before the whole request was sent, the connection cannot be reused.
    if (answered.reusable && this.#owner.reuses && !this.#closed && !this.#writer.isSending) {
      this.resume();
      this.#owner.onIdle(this);
    } else this.destroy();
    answered.call.end();
  }

  #ended(): void {
    if (this.#call !== null && !this.#parser.close())
      this.#close(new Error('the provider closed the connection'));
    this.#release();
  }

  #close(cause: Error): void {
    const call = this.#call;
    if (call === null) {
      this.destroy();
      return;
    }
    this.fail(this.#connected ? call.lostKind : 'connect', cause);
  }
}
