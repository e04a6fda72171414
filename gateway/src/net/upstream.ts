/**
 * HTTP to a provider over keep-alive connections. It uses callbacks instead of streams or promises, because relaying
 * chunks is where a gateway spends its time.
 */

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { KIB } from '../kernel/bytes.ts';
import { NextTurn } from '../kernel/next-turn.ts';
import type { Clock } from '../kernel/time.ts';
import { TurnBudget } from '../kernel/turn-budget.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { authorizationLine, connectToProxy, openTunnel } from './open-tunnel.ts';
import type { ForwardProxy, Proxies } from './proxies.ts';
import { type UpstreamCall, UpstreamFailure, type UpstreamHandler } from './upstream-call.ts';
import { WaitingCall } from './waiting-call.ts';

/** Shared by all providers. */
const largeAnswers = new TurnBudget();
const largeBodies = new TurnBudget();

export interface UpstreamOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** How long a provider may be silent, before its first byte and between two bytes. */
  readonly silenceTimeoutMs: number;
  /** Default: connect directly. */
  readonly proxies?: Proxies;
  /** If the system's certificates are not enough. */
  readonly tls?: UpstreamTls;
  /** Every connection is a tunnel through this proxy, also to loopback addresses. */
  readonly proxy?: ForwardProxy;
}

export interface UpstreamTls {
  /** PEM texts. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name in the certificate, if it is not the host. */
  readonly serverName?: string;
  readonly insecure?: boolean;
}

/** One path of a provider, with the headers of all its calls. */
export interface UpstreamEndpoint {
  /** A body may be in pieces, which are not joined. `more`: headers of this call only. */
  post(body: Buffer | readonly Buffer[], handler: UpstreamHandler, more?: Headers): UpstreamCall;
}

type Headers = Readonly<Record<string, string>>;

const CONNECTIONS_MAX = 10_000;
/**
 * How long a provider that sent unsolicited bytes gets a new connection for every call. Bytes in flight when a request is
 * written look like its answer.
 */
const DISTRUST_MS = 600_000;
const NO_BODY = Buffer.alloc(0);
const LOOK_MS_MAX = 1_000;

/**
 * All connections read into this buffer instead of 64 KiB each; code that keeps bytes copies them. The frames of a stream
 * are read and written within the callback.
 */
const readBuffer = Buffer.allocUnsafeSlow(64 * KIB);

export class UpstreamClient implements ConnectionOwner {
  readonly #options: UpstreamOptions;
  readonly #url: URL;
  readonly #proxy: ForwardProxy | null;
  readonly #isTunnel: boolean;
  readonly #all = new Set<Connection>();
  /** The most recently used one is taken first, so that the others become idle and close. */
  readonly #idle: Connection[] = [];
  /** Answered in this event-loop turn, and in earlier ones; oldest first. */
  #answered: Connection[] = [];
  #resting: Connection[] = [];
  #waiting: WaitingCall[] = [];
  readonly #nextTurn = new NextTurn(() => this.#turn());
  #closed = false;
  readonly #stopLooking: () => void;
  #distrustUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#url = new URL(options.baseUrl);
    this.#proxy = options.proxy ?? options.proxies?.proxyFor(this.#url) ?? null;
    const secure = this.#url.protocol === 'https:';
    this.#isTunnel = this.#proxy !== null && (secure || options.proxy !== undefined);
    const { clock, connectTimeoutMs: connectMs, silenceTimeoutMs: silenceMs } = options;
    const lookMs = Math.max(10, Math.min(LOOK_MS_MAX, connectMs / 4, silenceMs / 4));
    this.#stopLooking = clock.every(lookMs, () => {
      const nowMs = clock.elapsedMs();
      for (const connection of this.#all) connection.look(nowMs, { connectMs, silenceMs });
    });
  }

  endpoint(path: string, headers: Headers): UpstreamEndpoint {
    // Built once: a call only adds the length of its body, and rarely a header.
    const fixed = `POST ${this.#requestTarget(path)} HTTP/1.1\r\n${this.#headerLines(headers)}`;
    const head = `${fixed}content-length: `;
    return {
      post: (body, handler, more) => {
        const { traceparent } = handler;
        if (more === undefined && traceparent === undefined) return this.#send(head, body, handler);
        const own = { ...more, ...(traceparent !== undefined && { traceparent }) };
        return this.#send(`${fixed}${headerLines(own)}content-length: `, body, handler);
      },
    };
  }

  /** The target is a path with its query, each part escaped. */
  get(target: string, headers: Headers, handler: UpstreamHandler): UpstreamCall {
    if (!/^\/[\x21-\x7e]*$/.test(target)) throw new Error('the target cannot be sent');
    const head = `GET ${this.#requestTarget(target)} HTTP/1.1\r\n${this.#headerLines(headers)}content-length: `;
    return this.#send(head, NO_BODY, handler);
  }

  /** A proxy needs the whole address, unless it only passes a tunnel on. */
  #requestTarget(path: string): string {
    const target = `${this.#url.pathname.replace(/\/$/, '')}${path}`;
    return this.#isForwarded ? `${this.#url.origin}${target}` : target;
  }

  #headerLines(headers: Headers): string {
    const lines = headerLines({ host: this.#url.host, ...headers });
    return this.#isForwarded && this.#proxy !== null ? `${lines}${authorizationLine(this.#proxy)}` : lines;
  }

  get #isForwarded(): boolean {
    return this.#proxy !== null && !this.#isTunnel;
  }

  onIdle(connection: Connection): void {
    this.#answered.push(connection);
    this.#nextTurn.schedule();
  }

  onClosed(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  onSurplus(): void {
    this.#distrustUntilMs = this.#options.clock.elapsedMs() + DISTRUST_MS;
    for (const connection of [...this.#idle, ...this.#answered, ...this.#resting]) connection.destroy();
  }

  readonly largeAnswers = largeAnswers;
  readonly largeBodies = largeBodies;

  get reuses(): boolean {
    return this.#options.clock.elapsedMs() >= this.#distrustUntilMs;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopLooking();
    for (const connection of [...this.#all]) connection.fail('cut', new Error('the provider was closed'));
  }

  #send(head: string, body: Buffer | readonly Buffer[], handler: UpstreamHandler): UpstreamCall {
    const call = new WaitingCall(handler, () => this.#sendNow(head, body, handler));
    this.#waiting.push(call);
    this.#nextTurn.schedule();
    return call;
  }

  /**
   * Runs right after the event loop has read all input. Unsolicited bytes on an idle connection have closed it by now, so
   * calls are sent here. A connection that just delivered an answer rests until a later turn, because something may
   * follow the answer.
   */
  #turn(): void {
    this.#wake();
    this.#resting.push(...this.#answered);
    this.#answered = [];
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const call of waiting) call.send();
  }

  #wake(): void {
    if (this.#resting.length === 0) return;
    const nowMs = this.#options.clock.elapsedMs();
    const tired = this.#resting.findIndex((connection) => !connection.rested(nowMs));
    for (const connection of this.#resting.splice(0, tired < 0 ? this.#resting.length : tired)) {
      if (connection.usable) this.#idle.push(connection);
    }
  }

  #sendNow(head: string, body: Buffer | readonly Buffer[], handler: UpstreamHandler): UpstreamCall | null {
    const connection = this.#closed ? null : this.#take();
    if (connection !== null) return connection.send(head, body, handler);
    const cause = Object.assign(new Error('too many connections'), { code: 'ENOBUFS' });
    handler.fail(
      this.#closed
        ? new UpstreamFailure('cut', new Error('the provider was closed'))
        : new UpstreamFailure('connect', cause),
    );
    return null;
  }

  #take(): Connection | null {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.usable) return idle;
      idle.destroy();
    }
    if (this.#all.size >= CONNECTIONS_MAX) return null;
    const secure = this.#url.protocol === 'https:';
    const proxy = this.#proxy;
    const read = (bytes: Buffer): void => connection.read(bytes);
    const through = this.#isTunnel ? proxy : null;
    const socket = through === null ? this.#open(read) : connectToProxy(through);
    const connection: Connection = new Connection(socket, {
      clock: this.#options.clock,
      owner: this,
      secure,
      proxy,
      tunnel:
        through === null
          ? null
          : (outer, ready) =>
              openTunnel(outer, { proxy: through, ...this.#target }, () => {
                const inner = secure ? connectTls({ ...this.#tlsOptions(), socket: outer }) : outer;
                ready(inner.on('data', read));
              }),
    });
    this.#all.add(connection);
    return connection;
  }

  get #target(): { host: string; port: number } {
    const host = this.#url.hostname.replace(/^\[(.*)\]$/, '$1');
    return { host, port: Number(this.#url.port) || (this.#url.protocol === 'https:' ? 443 : 80) };
  }

  #open(read: (bytes: Buffer) => void): Socket {
    const onread = {
      buffer: readBuffer,
      callback: (length: number): boolean => {
        read(readBuffer.subarray(0, length));
        return true;
      },
    };
    const secure = this.#url.protocol === 'https:';
    if (this.#proxy !== null) return connectToProxy(this.#proxy, { onread });
    if (!secure) return connectTcp({ ...this.#target, onread });
    return connectTls({ ...this.#tlsOptions(), onread } as ConnectionOptions);
  }

  #tlsOptions(): ConnectionOptions {
    const { host, port } = this.#target;
    // A server name must be a name; an address is checked against the certificate all the same.
    const { serverName, insecure, ...certificates } = this.#options.tls ?? {};
    const servername = serverName ?? (isIP(host) === 0 ? host : '');
    const trust = insecure === true ? { rejectUnauthorized: false } : {};
    return { host, port, servername, ALPNProtocols: ['http/1.1'], ...certificates, ...trust };
  }
}

function headerLines(headers: Headers): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    if (/[\r\n\0]/.test(name + value)) throw new Error(`the header ${name} cannot be sent`);
    return `${name}: ${value}\r\n`;
  });
  return lines.join('');
}
