/**
 * HTTP to a provider for what is large or rare: files and batches. Bodies of any size go and come in
 * pieces, each held only while it is moved; every call has a connection of its own. Calls to models, where
 * every microsecond counts, go through upstream.ts.
 */

import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { MIB } from '../kernel/bytes.ts';
import type { Clock } from '../kernel/time.ts';
import { UpstreamFailure, type UpstreamFailureKind } from './upstream-call.ts';

export interface TransferOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** How long neither side may move a byte. */
  readonly silenceTimeoutMs: number;
  /** How long a question and its whole answer may take. */
  readonly callTotalMs: number;
  /** How long one may take that carries a file. */
  readonly transferTotalMs: number;
  /** Finds the addresses of the host, where that is not left to the system. */
  readonly lookup?: LookupFunction;
}

export interface TransferRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: TransferBody;
  readonly signal: AbortSignal;
}

/** Whoever sends it knows how long it is, since not every provider takes one of unknown length. */
export interface TransferBody {
  readonly length: number;
  pieces(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

export interface TransferReply {
  readonly status: number;
  /** Those that came once. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as fast as it is taken. Throws UpstreamFailure where it breaks off. */
  pieces(): AsyncIterable<Buffer>;
  /** Ends it unread. */
  discard(): void;
}

const LOOK_MS_MAX = 1_000;
/** A body that is larger is a file. */
const QUESTION_BYTES_MAX = MIB;
/** Some servers say every few seconds that they are still at it. */
const INFORMATIONAL_MAX = 100;

export class TransferClient {
  readonly #options: TransferOptions;
  readonly #url: URL;
  readonly #closing = new AbortController();

  constructor(options: TransferOptions) {
    this.#options = options;
    this.#url = new URL(options.baseUrl);
  }

  /** Resolves when the head of the answer is in. Throws UpstreamFailure. */
  async send(request: TransferRequest): Promise<TransferReply> {
    return await this.#send(request, this.#options.transferTotalMs);
  }

  async #send(request: TransferRequest, totalMs: number): Promise<TransferReply> {
    const exchange = new Exchange(this.#open(request), this.#options, totalMs);
    const end = (): void => exchange.break('aborted', new Error('aborted by the gateway'));
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return await exchange.run(request.body ?? null);
  }

  /** The whole answer, where it is known to be small. */
  async ask(
    request: TransferRequest,
    bytesMax: number,
  ): Promise<Pick<TransferReply, 'status' | 'headers'> & { body: Buffer }> {
    const { callTotalMs, transferTotalMs } = this.#options;
    const large = (request.body?.length ?? 0) > QUESTION_BYTES_MAX;
    const reply = await this.#send(request, large ? transferTotalMs : callTotalMs);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of reply.pieces()) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new UpstreamFailure('cut', new Error(`body over ${bytesMax} bytes`));
      pieces.push(piece);
    }
    return { status: reply.status, headers: reply.headers, body: Buffer.concat(pieces) };
  }

  close(): void {
    this.#closing.abort();
  }

  #open({ method, path, headers, body }: TransferRequest): ClientRequest {
    const { protocol, hostname, port, pathname } = this.#url;
    const open = protocol === 'https:' ? requestHttps : requestHttp;
    return open({
      method,
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      ...(port !== '' && { port: Number(port) }),
      path: `${pathname.replace(/\/$/, '')}${path}`,
      agent: false,
      ...(this.#options.lookup !== undefined && { lookup: this.#options.lookup }),
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        connection: 'close',
        ...(body !== undefined && { 'content-length': String(body.length) }),
      },
    });
  }
}

/** One request and its answer; ends the connection when nothing moves on it. */
class Exchange {
  readonly #request: ClientRequest;
  readonly #options: TransferOptions;
  readonly #stopLooking: () => void;
  #reply: IncomingMessage | null = null;
  #failure: UpstreamFailure | null = null;
  #connected = false;
  #moved = 0;
  #movedMs: number;
  readonly #untilMs: number;
  #informational = 0;

  constructor(request: ClientRequest, options: TransferOptions, totalMs: number) {
    this.#request = request;
    this.#options = options;
    const { clock, connectTimeoutMs, silenceTimeoutMs } = options;
    this.#movedMs = clock.elapsedMs();
    this.#untilMs = this.#movedMs + totalMs;
    const quarterMs = Math.min(connectTimeoutMs, silenceTimeoutMs, totalMs) / 4;
    const lookMs = Math.max(10, Math.min(LOOK_MS_MAX, quarterMs));
    this.#stopLooking = clock.every(lookMs, () => this.#look());
    request.once('socket', (socket: Socket) => {
      const secure = 'encrypted' in socket;
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        this.#connected = true;
        this.#movedMs = clock.elapsedMs();
      });
    });
    request.on('information', () => {
      if (++this.#informational <= INFORMATIONAL_MAX) return;
      this.break('cut', new Error('too many informational answers'));
    });
    request.once('close', this.#stopLooking);
  }

  run(body: TransferBody | null): Promise<TransferReply> {
    return new Promise((resolve, reject) => {
      this.#request.on('error', (error) => reject(this.#asFailure(error)));
      // Also where it ends without an error: an answer in another protocol (101) is neither.
      this.#request.on('close', () => reject(this.#asFailure(new Error('closed without an answer'))));
      this.#request.once('response', (reply: IncomingMessage) => {
        this.#reply = reply;
        const headers = Object.fromEntries(
          Object.entries(reply.headers).flatMap(([name, value]) =>
            typeof value === 'string' ? [[name, value]] : [],
          ),
        );
        resolve({
          status: reply.statusCode ?? 0,
          headers,
          pieces: () => this.#pieces(reply),
          discard: () => this.break('aborted', new Error('not wanted')),
        });
      });
      this.#write(body).catch((error: unknown) => this.break('aborted', error));
    });
  }

  break(kind: UpstreamFailureKind, cause: unknown): void {
    this.#failure ??= new UpstreamFailure(kind, cause);
    this.#request.destroy(this.#failure);
    this.#reply?.destroy(this.#failure);
  }

  async #write(body: TransferBody | null): Promise<void> {
    if (body !== null) {
      for await (const piece of body.pieces()) {
        this.#movedMs = this.#options.clock.elapsedMs();
        if (this.#request.destroyed) return;
        if (!this.#request.write(piece)) await this.#drained();
      }
    }
    this.#request.end();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#request.off('drain', done);
        this.#request.off('close', done);
        resolve();
      };
      this.#request.once('drain', done);
      this.#request.once('close', done);
    });
  }

  async *#pieces(reply: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      yield* reply as AsyncIterable<Buffer>;
    } catch (error) {
      throw this.#failure ?? new UpstreamFailure('cut', error);
    } finally {
      this.#stopLooking();
    }
  }

  #look(): void {
    const { clock, connectTimeoutMs, silenceTimeoutMs } = this.#options;
    const nowMs = clock.elapsedMs();
    const { socket } = this.#request;
    const moved = (socket?.bytesRead ?? 0) + (socket?.bytesWritten ?? 0);
    // What waits for its reader is not the provider's silence.
    if (moved !== this.#moved || (this.#reply?.readableLength ?? 0) > 0) this.#movedMs = nowMs;
    this.#moved = moved;
    const quietMs = nowMs - this.#movedMs;
    if (!this.#connected && quietMs >= connectTimeoutMs) {
      this.break('connect', new Error('connecting took too long'));
    } else if (this.#connected && quietMs >= silenceTimeoutMs) {
      this.break('timeout', new Error('the provider is silent'));
    } else if (nowMs >= this.#untilMs) {
      this.break('timeout', new Error('it took too long in all'));
    }
  }

  #asFailure(error: Error): UpstreamFailure {
    return this.#failure ?? new UpstreamFailure(this.#connected ? 'reset' : 'connect', error);
  }
}
