/**
 * A request as handlers see it: its head, and its body as events. Nothing comes before
 * `resume` is called; `close` comes when nothing more will.
 */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { BodyBlocks } from './body-blocks.ts';
import type { RequestHead, RequestHeaders } from './request-head.ts';

interface RequestEvents {
  data: [chunk: Buffer];
  end: [];
  close: [];
}

/** What a request asks of its connection. */
export interface BodySource {
  /** The handler takes more bytes than it has been given. */
  wantsBody(): void;
  sendContinue(): void;
}

export class EdgeRequest extends EventEmitter<RequestEvents> {
  readonly method: string;
  readonly url: string;
  readonly httpVersion: RequestHead['httpVersion'];
  readonly headers: RequestHeaders;
  /** Number of Host headers. */
  readonly hosts: number;
  /** Length of the body; CHUNKED if it is not known before its end. */
  readonly bodyBytes: number;
  readonly socket: Socket;
  readonly #source: BodySource;
  readonly #blocks: BodyBlocks;
  readonly #chunks: Buffer[] = [];
  #heldBytes = 0;
  #flowing = false;
  #scheduled = false;
  #awaitsContinue: boolean;
  #ended = false;
  /** The whole request was received. */
  complete = false;
  /** The connection closed before the whole request was received. */
  destroyed = false;

  constructor(head: RequestHead, socket: Socket, source: BodySource) {
    super();
    this.method = head.method;
    this.url = head.target;
    this.httpVersion = head.httpVersion;
    this.headers = head.headers;
    this.hosts = head.hosts;
    this.bodyBytes = head.bodyBytes;
    this.socket = socket;
    this.#source = source;
    this.#blocks = new BodyBlocks(head.bodyBytes);
    this.#awaitsContinue = head.expectsContinue;
  }

  /** Bytes that were received and that nobody has taken. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  pause(): void {
    this.#flowing = false;
  }

  resume(): void {
    this.#flowing = true;
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false;
      this.#source.sendContinue();
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#deliver();
    });
  }

  /** From now on reading does not send 100 Continue. */
  neverContinue(): void {
    this.#awaitsContinue = false;
  }

  /** Called by the connection. The bytes are copied. */
  push(bytes: Buffer): void {
    this.#blocks.keep(bytes, this.#flowing, (chunk) => this.#take(chunk));
  }

  #take(chunk: Buffer): void {
    if (this.#flowing && this.#heldBytes === 0 && !this.#scheduled) {
      this.emit('data', chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.length;
  }

  /** Called by the connection after the last chunk. */
  finish(): void {
    this.complete = true;
    if (this.#flowing && !this.#scheduled) this.#deliver();
  }

  /** Called by the connection when it closes, or rejects the rest of the request. */
  abort(): void {
    if (this.complete || this.destroyed) return;
    this.destroyed = true;
    this.#chunks.length = 0;
    this.emit('close');
  }

  #deliver(): void {
    while (this.#flowing && !this.destroyed) {
      const chunk = this.#chunks.shift();
      if (chunk === undefined) break;
      this.#heldBytes -= chunk.length;
      this.emit('data', chunk);
    }
    if (!this.#flowing || this.destroyed) return;
    if (!this.complete) this.#source.wantsBody();
    else if (!this.#ended) {
      this.#ended = true;
      this.emit('end');
      this.emit('close');
    }
  }
}
