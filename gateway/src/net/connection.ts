/** One connection to a provider: carries one call at a time, then waits for the next. */
import type { Socket } from 'node:net';
import type { Clock } from '../kernel/time.ts';
import { type ResponseEvents, type ResponseHeaders, ResponseParser } from './response-parser.ts';
import {
  type BodySink,
  type UpstreamCall,
  UpstreamFailure,
  type UpstreamFailureKind,
  type UpstreamHandler,
} from './upstream-call.ts';

export interface ConnectionOwner {
  /** The connection carries no call and may take one. */
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** Without a word from the provider, how long an idle connection is kept. */
const IDLE_MS_MAX = 30_000;
/** A provider closes when it said it would; we stop a little earlier. */
const IDLE_MARGIN_MS = 1_000;
/** Larger bodies are written beside their head instead of being copied behind it. */
const JOINED_BYTES_MAX = 64 * 1024;
/** After this much, everybody else has a turn before more is read: large answers come in long bursts. */
const TURN_BYTES_MAX = 256 * 1024;

export class Connection implements ResponseEvents {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #owner: ConnectionOwner;
  #call: Call | null = null;
  readonly #parser = new ResponseParser(this);
  #connected = false;
  #closed = false;
  #paused = false;
  #movedMs: number;
  #turnBytes = 0;
  #idleMsMax = IDLE_MS_MAX;

  constructor(socket: Socket, options: { clock: Clock; owner: ConnectionOwner; secure: boolean }) {
    this.#socket = socket;
    this.#clock = options.clock;
    this.#owner = options.owner;
    this.#movedMs = options.clock.elapsedMs();
    socket.setNoDelay(true);
    socket.once(options.secure ? 'secureConnect' : 'connect', () => {
      this.#connected = true;
      this.#movedMs = this.#clock.elapsedMs();
    });
    socket.on('end', () => this.#ended());
    socket.on('error', (error) => this.#close(error));
    socket.on('close', () => this.#close(new Error('closed')));
  }

  /** Sends a request. The connection must be new or idle. */
  send(head: string, body: Buffer | readonly Buffer[], handler: UpstreamHandler): UpstreamCall {
    const call = new Call(this, handler);
    this.#call = call;
    this.#movedMs = this.#clock.elapsedMs();
    this.#parser.reset();
    if (Buffer.isBuffer(body)) this.#write(`${head}${body.length}\r\n\r\n`, body);
    else this.#writePieces(head, body);
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
    this.#socket.destroy();
    this.#owner.onClosed(this);
  }

  /** Called every now and then: gives up on silence and on having nothing to do. */
  look(nowMs: number, limits: { connectMs: number; silenceMs: number }): void {
    const quietMs = nowMs - this.#movedMs;
    if (this.#call === null) {
      if (quietMs >= this.#idleMsMax) this.destroy();
    } else if (!this.#connected) {
      if (quietMs >= limits.connectMs) this.fail('connect', new Error('connecting took too long'));
    } else if (!this.#paused && quietMs >= limits.silenceMs) {
      this.fail('timeout', new Error('the provider is silent'));
    }
  }

  get usable(): boolean {
    return !this.#closed && this.#clock.elapsedMs() - this.#movedMs < this.#idleMsMax;
  }

  #write(head: string, body: Buffer): void {
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
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
  }

  /** Takes what the socket read; the bytes are lent for the time of the call. */
  read(read: Buffer): void {
    this.#movedMs = this.#clock.elapsedMs();
    if (this.#call === null) {
      // Nobody asked for this.
      this.destroy();
      return;
    }
    this.#turnBytes += read.length;
    if (this.#turnBytes >= TURN_BYTES_MAX) this.#giveTurn();
    try {
      this.#parser.push(read);
    } catch (error) {
      // The sink's own mistakes end here too: one bad answer must not take the process down.
      this.fail('cut', error);
    }
  }

  #giveTurn(): void {
    this.#turnBytes = 0;
    this.#socket.pause();
    setImmediate(() => {
      if (!this.#paused) this.#socket.resume();
    });
  }

  head(status: number, headers: ResponseHeaders): void {
    const hint = /\btimeout=(\d{1,6})/.exec(headers['keep-alive'] ?? '')?.[1];
    if (hint !== undefined) {
      this.#idleMsMax = Math.min(IDLE_MS_MAX, Math.max(0, Number(hint) * 1000 - IDLE_MARGIN_MS));
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
    // An answer that came before the whole request was sent leaves the rest of it in the way.
    if (reusable && !this.#closed && this.#socket.writableLength === 0) {
      this.resume();
      this.#owner.onIdle(this);
    } else this.destroy();
    call.end();
  }

  #ended(): void {
    if (this.#call !== null && !this.#parser.close())
      this.#close(new Error('the provider closed the connection'));
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

/** A call on a connection, as whoever made it sees it. */
class Call implements UpstreamCall {
  readonly #connection: Connection;
  readonly #handler: UpstreamHandler;
  #sink: BodySink | null = null;
  #over = false;

  constructor(connection: Connection, handler: UpstreamHandler) {
    this.#connection = connection;
    this.#handler = handler;
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

  /** Before the head nothing of an answer was seen. */
  get lostKind(): UpstreamFailureKind {
    return this.#sink === null ? 'reset' : 'cut';
  }
}
