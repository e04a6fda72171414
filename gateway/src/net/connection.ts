/** One connection to a provider: carries one call at a time, then waits for the next. */

import type { Socket } from 'node:net';
import { KIB } from '../kernel/bytes.ts';
import type { Clock } from '../kernel/time.ts';
import type { PausedReader, TurnBudget } from '../kernel/turn-budget.ts';
import { CarriedCall } from './carried-call.ts';
import { hasUnread } from './has-unread.ts';
import { type ResponseEvents, type ResponseHeaders, ResponseParser } from './response-parser.ts';
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
  /** The provider sent something that nobody asked for. */
  onSurplus(): void;
  /** Whether connections may carry more than one call. */
  readonly reuses: boolean;
  /** Shared by all large answers. */
  readonly largeAnswers: TurnBudget;
  /** Shared by all large request bodies. */
  readonly largeBodies: TurnBudget;
}

/** Without a word from the provider, how long an idle connection is kept. */
const IDLE_MS_MAX = 30_000;
/** A provider closes when it said it would; we stop a little earlier. */
const IDLE_MARGIN_MS = 1_000;
/** Larger bodies are written beside their head instead of being copied behind it. */
const JOINED_BYTES_MAX = 64 * KIB;
/** What a provider sends unasked behind an answer mostly comes within this time, and must not answer the next call. */
const REST_MS = 5;
/** Written of a large body in one event-loop turn. */
const STEP_BYTES = 256 * KIB;
/** Larger answers share an event-loop budget: they arrive in long bursts. */
const SMALL_ANSWER_BYTES = 64 * KIB;

export class Connection implements ResponseEvents {
  readonly #socket: Socket;
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
  /** Pieces of a large request body that are not written yet. */
  #unsent: Buffer[] = [];
  readonly #writer: PausedReader = { resume: () => this.#writeNext() };
  #idleMsMax = IDLE_MS_MAX;
  /** Resumes a large answer that paused for an event-loop turn. */
  readonly #reader: PausedReader = {
    resume: () => {
      if (!this.#paused) this.#socket.resume();
    },
  };

  constructor(socket: Socket, options: { clock: Clock; owner: ConnectionOwner; secure: boolean }) {
    this.#socket = socket;
    this.#clock = options.clock;
    this.#owner = options.owner;
    this.#secure = options.secure;
    this.#movedMs = options.clock.elapsedMs();
    socket.setNoDelay(true);
    socket.once(options.secure ? 'secureConnect' : 'connect', () => this.#connect());
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
    const write = (): void => {
      if (Buffer.isBuffer(body)) this.#writeJoined(`${head}${body.length}\r\n\r\n`, body);
      else this.#writePieces(head, body);
    };
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

  /** Ends the call under way as a failure of this kind, and the connection with it. */
  fail(kind: UpstreamFailureKind, cause: unknown): void {
    const call = this.#call;
    this.#call = null;
    this.destroy();
    call?.fail(new UpstreamFailure(kind, cause));
  }

  destroy(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#owner.largeAnswers.remove(this.#reader);
    this.#owner.largeBodies.remove(this.#writer);
    this.#unsent = [];
    this.#socket.destroy();
    this.#owner.onClosed(this);
  }

  /** Called every now and then: gives up on silence and on having nothing to do. */
  look(nowMs: number, limits: { connectMs: number; silenceMs: number }): void {
    const quietMs = nowMs - this.#movedMs;
    const call = this.#call;
    if (call === null) {
      if (quietMs >= this.#idleMsMax) this.destroy();
    } else if (nowMs >= call.untilMs) {
      this.fail('timeout', new Error('the answer took too long in all'));
    } else if (!this.#connected) {
      if (quietMs >= limits.connectMs) this.fail('connect', new Error('connecting took too long'));
    } else if (!this.#paused && quietMs >= limits.silenceMs) {
      this.fail('timeout', new Error('the provider is silent'));
    }
  }

  /** Whether it has been silent for long enough after its last answer to be used again. */
  rested(nowMs: number): boolean {
    return this.#closed || nowMs - this.#movedMs >= REST_MS;
  }

  get usable(): boolean {
    return !this.#closed && this.#clock.elapsedMs() - this.#movedMs < this.#idleMsMax;
  }

  #connect(): void {
    this.#connected = true;
    this.#movedMs = this.#clock.elapsedMs();
    // What came together with the end of a handshake is read before anything else happens.
    if (this.#secure) setImmediate(() => this.#writeWaiting());
    else if (hasUnread(this.#socket)) this.#spokeFirst();
    else this.#writeWaiting();
  }

  #writeWaiting(): void {
    const write = this.#write;
    this.#write = null;
    if (!this.#closed) write?.();
  }

  /** Nothing of the request was sent, so it may be sent elsewhere. */
  #spokeFirst(): void {
    if (this.#call === null) this.#owner.onSurplus();
    this.fail('connect', new Error('the server sent something before it was asked'));
  }

  #writeJoined(head: string, body: Buffer): void {
    if (body.length > JOINED_BYTES_MAX) {
      this.#writeBeside(head, [body]);
      return;
    }
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 'latin1');
    body.copy(bytes, head.length);
    this.#socket.write(bytes);
  }

  #writePieces(head: string, pieces: readonly Buffer[]): void {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.#writeBeside(`${head}${length}\r\n\r\n`, pieces);
  }

  #writeBeside(head: string, pieces: readonly Buffer[]): void {
    this.#socket.write(head, 'latin1');
    this.#unsent = pieces.flatMap(cutPiece);
    this.#writeNext();
  }

  /** One step per event-loop turn: the kernel copies megabytes at once, and many large bodies add up. */
  #writeNext(): void {
    if (this.#closed) return;
    let bytes = 0;
    this.#socket.cork();
    while (this.#unsent.length > 0 && bytes < STEP_BYTES) {
      const piece = this.#unsent.shift() as Buffer;
      bytes += piece.length;
      this.#socket.write(piece);
    }
    this.#socket.uncork();
    this.#movedMs = this.#clock.elapsedMs();
    if (this.#unsent.length === 0) return;
    const next = (): void => {
      if (this.#owner.largeBodies.spend(this.#writer, bytes)) setImmediate(() => this.#writeNext());
    };
    if (this.#socket.writableNeedDrain) this.#socket.once('drain', next);
    else next();
  }

  /** Whether a part of the request is still to be sent. */
  get #isSending(): boolean {
    return this.#unsent.length > 0 || this.#socket.writableLength > 0;
  }

  /** Takes what the socket read; the bytes are lent for the time of the call. */
  read(read: Buffer): void {
    this.#movedMs = this.#clock.elapsedMs();
    // Nobody asked for this.
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
      // The sink's own mistakes end here too: one bad answer must not take the process down.
      if (this.#answered !== null) this.#owner.onSurplus();
      this.fail('cut', error);
    }
    this.#release();
  }

  head(status: number, headers: ResponseHeaders): void {
    const hint = /\btimeout=(\d{1,6})/.exec(headers['keep-alive'] ?? '')?.[1];
    if (hint !== undefined) {
      this.#idleMsMax = Math.min(IDLE_MS_MAX, Math.max(0, Number(hint) * 1000 - IDLE_MARGIN_MS));
    }
    // Nobody can have answered what they do not have: it is not to this request. Refusals may come early.
    if (status < 400 && this.#isSending) {
      this.fail('reset', new Error('an answer came before the request was sent'));
      return;
    }
    this.#call?.head(status, headers);
  }

  data(chunk: Buffer): void {
    this.#call?.data(chunk);
  }

  end(reusable: boolean): void {
    const call = this.#call;
    // A sink may have aborted its own call at the very last moment.
    if (call === null) return;
    this.#call = null;
    this.#answered = { call, reusable };
  }

  /** Lets go of a call whose answer is complete; only now is it known that nothing came behind it. */
  #release(): void {
    const answered = this.#answered;
    if (answered === null) return;
    this.#answered = null;
    // An answer that came before the whole request was sent leaves the rest of it in the way.
    if (answered.reusable && this.#owner.reuses && !this.#closed && !this.#isSending) {
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

function cutPiece(piece: Buffer): Buffer[] {
  if (piece.length <= STEP_BYTES) return [piece];
  const parts = Math.ceil(piece.length / STEP_BYTES);
  return Array.from({ length: parts }, (_, i) => piece.subarray(i * STEP_BYTES, (i + 1) * STEP_BYTES));
}
