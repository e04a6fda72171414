/**
 * HTTP with undici for everything that is not a call to a model: files and batches at providers, and media at
 * addresses that callers or providers name. Bodies of any size are sent and read in pieces, each held only while it
 * is moved; every request has a connection of its own. Calls to models go through upstream.ts, which is faster.
 */

import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import { MIB } from '../kernel/bytes.ts';
import { onAbort } from '../kernel/on-abort.ts';
import type { Clock } from '../kernel/time.ts';
import { type Destination, destinationOf } from './destination.ts';
import type { Proxies } from './proxies.ts';
import { UpstreamFailure, type UpstreamFailureKind } from './upstream-call.ts';

export interface TransferOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** How long neither side may send a byte. */
  readonly silenceTimeoutMs: number;
  /** How long a request and its whole answer may take. */
  readonly callTotalMs: number;
  /** The same for a request that carries a file. */
  readonly transferTotalMs: number;
  /** The only addresses to connect to; null or left out: those that the system finds for the host. */
  readonly addresses?: readonly string[] | null;
  /** The certificates that the host is trusted by, as PEM. Default: those of the system. */
  readonly ca?: string;
  /** Default: connect directly. */
  readonly proxies?: Proxies;
}

export interface TransferRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: TransferBody;
  readonly signal: AbortSignal;
}

/** The length is known in advance, because not every provider accepts a body of unknown length. */
export interface TransferBody {
  readonly length: number;
  pieces(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

export interface TransferReply {
  readonly status: number;
  /** Those that occur once. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, no faster than it is read. Throws UpstreamFailure if the connection breaks. */
  pieces(): AsyncIterable<Buffer>;
  /** Closes the connection without reading the body. */
  discard(): void;
}

type Undici = Pick<typeof import('undici'), 'Client' | 'buildConnector'>;

const LOOK_MS_MAX = 1_000;
/** A larger body is a file. */
const SMALL_BODY_BYTES_MAX = MIB;
/** Some servers send one every few seconds while they work. */
const INFORMATIONAL_MAX = 100;

export class TransferClient {
  readonly #options: TransferOptions;
  readonly #url: URL;
  readonly #closing = new AbortController();

  constructor(options: TransferOptions) {
    this.#options = options;
    this.#url = new URL(options.baseUrl);
  }

  /** Resolves when the head of the answer has arrived. Throws UpstreamFailure. */
  async send(request: TransferRequest): Promise<TransferReply> {
    return await this.#send(request, this.#options.transferTotalMs);
  }

  async #send(request: TransferRequest, totalMs: number): Promise<TransferReply> {
    // Loaded on first use: it takes 20 MB of memory, and not every gateway transfers files.
    const exchange = new Exchange(await import('undici'), this.#url, { ...this.#options, totalMs });
    exchange.endWith([request.signal, this.#closing.signal]);
    return await exchange.run(request);
  }

  /** Returns the whole answer, which must be small. */
  async ask(
    request: TransferRequest,
    bytesMax: number,
  ): Promise<Pick<TransferReply, 'status' | 'headers'> & { body: Buffer }> {
    const { callTotalMs, transferTotalMs } = this.#options;
    const large = (request.body?.length ?? 0) > SMALL_BODY_BYTES_MAX;
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
}

/** One request and its answer; ends the connection when nothing moves on it. */
class Exchange {
  readonly #options: TransferOptions;
  readonly #destination: Destination;
  readonly #client: Client;
  readonly #stopLooking: () => void;
  readonly #untilMs: number;
  #stopListening: () => void = () => undefined;
  #socket: Socket | null = null;
  #reply: Dispatcher.ResponseData | null = null;
  #failure: UpstreamFailure | null = null;
  #moved = 0;
  #movedMs: number;
  #informational = 0;

  constructor(undici: Undici, url: URL, options: TransferOptions & { totalMs: number }) {
    this.#options = options;
    const { clock, connectTimeoutMs, silenceTimeoutMs, totalMs } = options;
    this.#destination = destinationOf(url, { ...options, buildConnector: undici.buildConnector });
    this.#client = new undici.Client(this.#destination.origin, {
      connect: (target, callback) =>
        this.#destination.connect(target, (...[error, socket]) => {
          this.#socket = socket ?? null;
          this.#movedMs = clock.elapsedMs();
          if (error === null) callback(null, socket);
          else callback(error, null);
        }),
      // Silence is watched below, on the clock that was passed in.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
    this.#movedMs = clock.elapsedMs();
    this.#untilMs = this.#movedMs + totalMs;
    const quarterMs = Math.min(connectTimeoutMs, silenceTimeoutMs, totalMs) / 4;
    const lookMs = Math.max(10, Math.min(LOOK_MS_MAX, quarterMs));
    this.#stopLooking = clock.every(lookMs, () => this.#look());
  }

  endWith(signals: readonly AbortSignal[]): void {
    this.#stopListening = onAbort(signals, () => this.break('aborted', new Error('aborted by the gateway')));
  }

  async run({ method, path, headers, body }: TransferRequest): Promise<TransferReply> {
    try {
      const reply = await this.#client.request({
        method,
        path: this.#destination.requestTarget(path),
        headers: {
          ...headers,
          ...this.#destination.headers,
          'accept-encoding': 'identity',
          ...(body !== undefined && body.length > 0 && { 'content-length': String(body.length) }),
        },
        body: body === undefined || body.length === 0 ? null : Readable.from(this.#sent(body)),
        // A connection of its own, closed afterwards.
        reset: true,
        onInfo: () => {
          if (++this.#informational > INFORMATIONAL_MAX)
            this.break('cut', new Error('too many informational answers'));
        },
      });
      this.#reply = reply;
      reply.body.once('close', () => this.#end());
      return {
        status: reply.statusCode,
        headers: singleHeaders(reply.headers),
        pieces: () => this.#pieces(reply),
        discard: () => this.break('aborted', new Error('not wanted')),
      };
    } catch (error) {
      const kind = this.#socket === null ? 'connect' : 'reset';
      this.#failure ??= new UpstreamFailure(kind, error);
      this.#end();
      throw this.#failure;
    }
  }

  break(kind: UpstreamFailureKind, cause: unknown): void {
    this.#failure ??= new UpstreamFailure(kind, cause);
    this.#reply?.body.on('error', () => undefined).destroy(this.#failure);
    this.#end();
  }

  /** Ends the connection, and with it whatever is under way. */
  #end(): void {
    this.#stopLooking();
    this.#stopListening();
    this.#client.destroy(this.#failure ?? new Error('ended')).catch(() => undefined);
  }

  async *#sent(body: TransferBody): AsyncGenerator<Buffer> {
    try {
      for await (const piece of body.pieces()) {
        this.#movedMs = this.#options.clock.elapsedMs();
        yield piece;
      }
    } catch (error) {
      this.break('aborted', error);
      throw error;
    }
  }

  async *#pieces({ body }: Dispatcher.ResponseData): AsyncGenerator<Buffer> {
    try {
      yield* body as AsyncIterable<Buffer>;
    } catch (error) {
      throw this.#failure ?? new UpstreamFailure('cut', error);
    } finally {
      this.#end();
    }
  }

  #look(): void {
    const { clock, connectTimeoutMs, silenceTimeoutMs } = this.#options;
    const nowMs = clock.elapsedMs();
    const moved = (this.#socket?.bytesRead ?? 0) + (this.#socket?.bytesWritten ?? 0);
    // Bytes that wait for their reader are not silence of the provider.
    if (moved !== this.#moved || (this.#reply?.body.readableLength ?? 0) > 0) this.#movedMs = nowMs;
    this.#moved = moved;
    const quietMs = nowMs - this.#movedMs;
    if (this.#socket === null && quietMs >= connectTimeoutMs) {
      this.break('connect', this.#destination.explain(new Error('connecting took too long')));
    } else if (this.#socket !== null && quietMs >= silenceTimeoutMs) {
      this.break('timeout', new Error('the provider is silent'));
    } else if (nowMs >= this.#untilMs) {
      this.break('timeout', new Error('the request took too long in total'));
    }
  }
}

function singleHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
