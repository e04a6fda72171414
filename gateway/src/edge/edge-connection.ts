/**
 * One connection of a caller. It reads requests one after another: the next begins when the answer to the one before
 * has been written. Closing it loses neither an answer nor a request that is being sent.
 */
import type { Socket } from 'node:net';
import { KIB } from '../kernel/bytes.ts';
import { hasUnread } from '../net/has-unread-bytes.ts';
import { BodyDecoder } from './body-decoder.ts';
import type { ConnectionHost } from './connection-host.ts';
import { type BodySource, EdgeRequest } from './edge-request.ts';
import { type AnswerSink, EdgeResponse } from './edge-response.ts';
import { endAndWait } from './end-and-wait.ts';
import { ReadingPace } from './reading-pace.ts';
import { RequestDeadlines } from './request-deadlines.ts';
import { isEmptyLine, mayBecomeHead, type RequestFault, type RequestHead } from './request-head.ts';

/** Received bytes that wait for a handler; above this, reading pauses. */
const HELD_BYTES_MAX = 16 * KIB;
/** Some clients send an empty line after a body. */
const EMPTY_LINES_MAX = 4;

export class EdgeConnection implements BodySource, AnswerSink {
  readonly socket: Socket;
  readonly #host: ConnectionHost;
  /** Bytes that were received and not parsed yet. */
  #rest: Buffer | null = null;
  #request: EdgeRequest | null = null;
  /** Null if no body is being received. */
  #decoder: BodyDecoder | null = null;
  /** Null if no request is being answered. */
  #response: EdgeResponse | null = null;
  /** A request that waits for the answer to the one before. */
  #next: RequestHead | null = null;
  /** Everything after the current request is dropped. */
  #last = false;
  #closing = false;
  #paused = false;
  #parsing = false;
  readonly #deadlines: RequestDeadlines;
  #bytesRead = 0;
  /** Before the head that is awaited. */
  #emptyLines = 0;
  readonly #pace = new ReadingPace();

  constructor(socket: Socket, host: ConnectionHost) {
    this.socket = socket;
    this.#host = host;
    this.#deadlines = new RequestDeadlines(host);
    socket.on('drain', () => this.#response?.emit('drain'));
    socket.on('end', () => this.#ended());
    // Its close follows.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#abandon());
  }

  /** Checked regularly for all connections, which is cheaper than a timer for each. */
  checkTimeouts(nowMs: number): void {
    if (this.#closing) return;
    const why = this.#response === null ? null : this.#pace.look(this.#response, nowMs);
    if (why !== null) {
      this.#host.cut(why);
      // What the system holds for the client is dropped too.
      this.socket.resetAndDestroy();
    } else if (this.#decoder !== null) {
      if (this.#deadlines.isBodyLate(nowMs)) this.#reject('request_timeout');
    } else if (this.#response === null) {
      this.#pace.forget();
      const missed = this.#deadlines.missed(nowMs);
      if (missed === 'idle') this.socket.destroy();
      else if (missed === 'head') this.#reject('request_timeout');
    }
  }

  /** The answer under way becomes the last one, if its head was not sent yet. */
  announceClose(): void {
    this.#response?.closeAfter();
  }

  /**
   * Closes the connection if it has been idle for this long. A client may send a request on an idle connection at any
   * moment, so it is left to the client to close it, for as long as there is time.
   */
  closeIdle(quietMs: number, nowMs: number): void {
    if (this.#response !== null || this.#closing) return;
    const { bytesRead } = this.socket;
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      this.#deadlines.quietSinceMs = nowMs;
    }
    if (nowMs - this.#deadlines.quietSinceMs < quietMs) return;
    if (quietMs === 0) this.socket.destroy();
    else if (!hasUnread(this.socket)) this.#linger();
  }

  /** Its client does not read the answer. */
  get isUnread(): boolean {
    return this.#pace.isUnread;
  }

  date(): string {
    return this.#host.date();
  }

  wantsBody(): void {
    if (this.#paused) this.#resume();
  }

  sendContinue(): void {
    const response = this.#response;
    if (response === null || response.headersSent || response.destroyed) return;
    response.awaitsContinue = false;
    this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  answered(): void {
    const response = this.#response;
    // The connection is closing, so that the answer did not leave completely.
    if (this.socket.destroyed || this.socket.writableEnded) return;
    // Usually the system has taken everything by now.
    if (this.socket.writableLength === 0) this.#finish();
    else
      this.socket.write('', (error) => {
        if (response !== null && this.#response === response && !error) this.#finish();
      });
  }

  /** The bytes are only valid during the call. */
  read(read: Buffer): void {
    if ((this.#last || this.#closing) && this.#decoder === null) return;
    let bytes = read;
    if (this.#rest !== null) {
      bytes = Buffer.concat([this.#rest, read]);
      this.#rest = null;
    } else if (this.#response === null) this.#deadlines.bytesRead();
    this.#parse(bytes);
  }

  #parse(bytes: Buffer): void {
    this.#parsing = true;
    let at = 0;
    while (at < bytes.length) {
      const next =
        this.#decoder === null ? this.#readHead(bytes, at) : this.#readBody(bytes, at, this.#decoder);
      if (next < 0) break;
      at = next;
    }
    this.#parsing = false;
    if (at < bytes.length && !(this.#last && this.#decoder === null))
      this.#rest = Buffer.from(bytes.subarray(at));
    if (this.#rest !== null && this.#response === null && this.#decoder === null) this.#deadlines.headBegan();
    if (this.#heldBytes() > HELD_BYTES_MAX && !this.#paused) {
      this.#paused = true;
      this.socket.pause();
    }
  }

  #heldBytes(): number {
    if (this.#decoder !== null) return this.#request?.heldBytes ?? 0;
    return this.#next !== null ? (this.#rest?.length ?? 0) : 0;
  }

  /** Returns where the head ends, or -1 if nothing can be read now. */
  #readHead(bytes: Buffer, at: number): number {
    if (this.#last || this.#next !== null) return -1;
    if (isEmptyLine(bytes, at))
      return ++this.#emptyLines > EMPTY_LINES_MAX ? this.#reject('bad_request_line') : at + 2;
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    const { headBytesMax } = this.#host;
    if ((end < 0 ? bytes.length : end) - at > headBytesMax) return this.#reject('head_too_large');
    if (end < 0) return mayBecomeHead(bytes, at) ? -1 : this.#reject('bad_header');
    const head = this.#host.heads.read(bytes, at, end);
    if (typeof head === 'string') return this.#reject(head);
    if (this.#response === null) this.#begin(head);
    else this.#next = head;
    return end + 4;
  }

  #begin(head: RequestHead): void {
    const request = new EdgeRequest(head, this.socket, this);
    const response = new EdgeResponse(this, {
      isHead: head.method === 'HEAD',
      takesChunks: head.httpVersion === '1.1',
      keepAlive: head.keepAlive,
      awaitsContinue: head.expectsContinue,
      keepAliveLine: this.#host.keepAliveLine,
      paces: this.#host.paces,
    });
    this.#request = request;
    this.#response = response;
    this.#deadlines.requestBegan();
    this.#emptyLines = 0;
    if (!head.keepAlive) this.#last = true;
    if (head.bodyBytes === 0) request.finish();
    else this.#decoder = new BodyDecoder(head.bodyBytes, (chunk) => request.push(chunk));
    this.#host.handle(request, response);
  }

  #readBody(bytes: Buffer, at: number, decoder: BodyDecoder): number {
    const end = decoder.push(bytes, at);
    // Closed by a handler while it took the bytes.
    if (this.#decoder !== decoder) return -1;
    if (decoder.fault !== null) return this.#reject(decoder.fault);
    if (decoder.done) {
      this.#decoder = null;
      this.#request?.finish();
      // It was answered before it was complete.
      if (this.#response === null) this.#request = null;
      return end;
    }
    if (end < bytes.length) this.#rest = Buffer.from(bytes.subarray(end));
    return bytes.length;
  }

  /** The answer was handed to the system. */
  #finish(): void {
    const response = this.#response as EdgeResponse;
    const request = this.#request as EdgeRequest;
    this.#response = null;
    // Its listeners hold the body, and the connection may be idle for long.
    if (request.complete) this.#request = null;
    this.#deadlines.answered();
    response.close(true);
    // Nobody reads the rest of the body; the next request begins after it.
    if (!request.complete && request.listenerCount('data') === 0) request.resume();
    if (this.#last || !response.keepAlive) {
      this.#last = true;
      if (request.complete) {
        this.#rest = null;
        this.socket.destroySoon();
      } else this.#linger();
      return;
    }
    if (this.#next !== null || this.#rest !== null || this.#paused) this.#continue();
  }

  /** Continues with what was received during the answer, in a turn of its own. */
  #continue(): void {
    queueMicrotask(() => {
      const head = this.#next;
      if (this.#response !== null || this.#closing || this.#parsing || this.socket.destroyed) return;
      this.#deadlines.bytesRead();
      this.#next = null;
      if (head !== null) this.#begin(head);
      const rest = this.#rest;
      this.#rest = null;
      if (rest !== null) this.#parse(rest);
      if (this.#paused && this.#heldBytes() <= HELD_BYTES_MAX) this.#resume();
    });
  }

  #resume(): void {
    this.#paused = false;
    this.socket.resume();
  }

  #ended(): void {
    if (this.#closing) this.socket.destroy();
    else if (this.#decoder !== null || (this.#response === null && this.#rest !== null))
      this.#reject('incomplete_request');
    else this.socket.end();
  }

  #reject(fault: RequestFault): -1 {
    const response = this.#response;
    // Do not write into or before the answer to an earlier request: that answer becomes the last one.
    if (response !== null && this.#decoder === null) {
      this.#last = true;
      response.closeAfter();
      return -1;
    }
    this.#last = true;
    this.#rest = null;
    // A request gets one answer. This one has it already, or a part of it.
    const isAnswered = response === null ? this.#decoder !== null : response.headersSent;
    if (isAnswered || !this.socket.writable) {
      this.socket.destroy();
      return -1;
    }
    this.socket.write(this.#host.answerFault(fault));
    this.#abandon();
    this.#linger();
    return -1;
  }

  /** The request under way gets no answer from its handler any more. */
  #abandon(): void {
    const [request, response] = [this.#request, this.#response];
    this.#decoder = this.#response = this.#next = null;
    request?.abort();
    response?.close(false);
  }

  /** Ends our side, and waits a moment for the other side to end too. */
  #linger(): void {
    if (this.#closing) return;
    this.#closing = true;
    if (this.#paused && this.#decoder === null) this.#resume();
    endAndWait(this.socket, this.#host.clock);
  }
}
