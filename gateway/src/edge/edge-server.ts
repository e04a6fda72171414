/** Listens for callers, and has one timer for the timeouts of all their connections. */
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Clock } from '../kernel/time.ts';
import type { SlowReader } from './answer-pace.ts';
import type { ConnectionHost } from './connection-host.ts';
import { EdgeConnection } from './edge-connection.ts';
import type { EdgeRequest } from './edge-request.ts';
import type { EdgeResponse } from './edge-response.ts';
import { KnownHeads } from './known-heads.ts';
import { READ_LATER, readTogether } from './read-together.ts';
import type { RequestFault } from './request-head.ts';

export interface EdgeServerOptions {
  readonly clock: Clock;
  readonly headBytesMax: number;
  /** How long a client may take to send the head of a request. */
  readonly headMs: number;
  /** How long a client may take to send a whole request. */
  readonly requestMs: number;
  /** How long an idle connection stays open. */
  readonly keepAliveMs: number;
  /** How long a client may take no byte of an answer that waits for it. */
  readonly stallMs: number;
  /** The same for streams. */
  readonly streamStallMs: number;
  /** How long a client may take for a whole answer. Streams have limits of their own. */
  readonly answerMs: number;
  handle(request: EdgeRequest, response: EdgeResponse): void;
  /** The whole answer to bytes that are rejected. */
  answerFault(fault: RequestFault): string;
  /** A client was disconnected because it did not take its answer. */
  cut(why: SlowReader): void;
}

const CHECK_MS = 1_000;

export class EdgeServer {
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #connections = new Set<EdgeConnection>();
  #cancelChecks: (() => void) | null = null;
  #accepted = 0;
  #unread = 0;
  #dateSecond = Number.NaN;
  #date = '';

  constructor(options: EdgeServerOptions) {
    const { clock, headBytesMax, headMs, requestMs, keepAliveMs } = options;
    this.#clock = clock;
    const host: ConnectionHost = {
      clock,
      headBytesMax,
      headMs,
      requestMs,
      keepAliveMs,
      paces: {
        answer: { stallMs: options.stallMs, totalMs: options.answerMs },
        stream: { stallMs: options.streamStallMs, totalMs: Number.POSITIVE_INFINITY },
      },
      keepAliveLine: `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`,
      heads: new KnownHeads(),
      date: () => this.#httpDate(),
      handle: (request, response) => options.handle(request, response),
      answerFault: (fault) => options.answerFault(fault),
      cut: (why) => options.cut(why),
    };
    this.#server = createServer({ ...READ_LATER, allowHalfOpen: true, noDelay: true }, (accepted) => {
      this.#accepted++;
      const socket = readTogether(accepted, (bytes) => connection.read(bytes));
      const connection = new EdgeConnection(socket, host);
      this.#connections.add(connection);
      socket.on('close', () => this.#connections.delete(connection));
    });
  }

  /** Open connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Connections whose client does not read its answer. */
  get unread(): number {
    return this.#unread;
  }

  /** Number of connections accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Resolves to the port in use; rejects with EADDRINUSE when it is taken. */
  async listen(at: { host: string; port: number }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(at.port, at.host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#cancelChecks = this.#clock.every(CHECK_MS, () => this.checkTimeouts());
    return (this.#server.address() as AddressInfo).port;
  }

  checkTimeouts(): void {
    const nowMs = this.#clock.elapsedMs();
    this.#unread = 0;
    for (const connection of this.#connections) {
      connection.checkTimeouts(nowMs);
      if (connection.isUnread) this.#unread++;
    }
  }

  /** Accepts no more connections; those that are open stay. */
  stopListening(): void {
    this.#server.close();
  }

  /** From now on, answers carry Connection: close. */
  announceClose(): void {
    for (const connection of this.#connections) connection.announceClose();
  }

  /** Closes connections that have been idle for this long. */
  closeIdle(quietMs: number): void {
    const nowMs = this.#clock.elapsedMs();
    for (const connection of this.#connections) connection.closeIdle(quietMs, nowMs);
  }

  /** Cuts all connections. */
  stop(): void {
    this.#cancelChecks?.();
    this.#cancelChecks = null;
    this.#server.close();
    for (const { socket } of this.#connections) socket.destroy();
  }

  #httpDate(): string {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = new Date(second * 1000).toUTCString();
    }
    return this.#date;
  }
}
