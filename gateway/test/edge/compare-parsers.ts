/** Sends the same bytes to our server and to Node's, without a network, and compares the requests that both see. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ConnectionHost } from '../../src/edge/connection-host.ts';
import { EdgeConnection } from '../../src/edge/edge-connection.ts';
import { KnownHeads } from '../../src/edge/known-heads.ts';
import { CHUNKED } from '../../src/edge/request-head.ts';
import { systemClock } from '../../src/kernel/time.ts';
import { seeded } from '../support/seeded.ts';
import { mutatedStream, splitStream } from './mutated-requests.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly version: string;
  /** Without the length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  readonly body: string;
}

export interface Outcome {
  readonly seen: readonly SeenRequest[];
  /** The server ended the connection. */
  readonly ended: boolean;
  readonly faults: readonly string[];
}

/** The side of a connection that a server has; what it writes is dropped. */
class ServerSide extends Duplex {
  bytesRead = 0;

  override _read(): void {}

  override _write(_: unknown, __: string, done: () => void): void {
    done();
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  // Node's server calls these.
  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

/** The answers and the timers of both servers take no longer than this. */
const TURNS = 4;

async function quiet(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Shared by all connections, as in a server: heads that are almost the same must not be mistaken for each other. */
const heads = new KnownHeads();

function ours(): { socket: ServerSide; outcome: () => Outcome } {
  const seen: SeenRequest[] = [];
  const faults: string[] = [];
  const host: ConnectionHost = {
    ...{ clock: systemClock, headBytesMax: 16 * 1024, headMs: 1e6, requestMs: 1e6, keepAliveMs: 1e6 },
    paces: { answer: { stallMs: 1e6, totalMs: 1e6 }, stream: { stallMs: 1e6, totalMs: 1e6 } },
    cut: () => undefined,
    heads,
    keepAliveLine: 'Connection: keep-alive\r\n\r\n',
    date: () => '',
    handle(request, response) {
      const body: Buffer[] = [];
      request.on('data', (chunk) => body.push(Buffer.from(chunk)));
      request.on('end', () => {
        const { method, url, httpVersion: version, bodyBytes } = request;
        const headers = { ...request.headers } as Record<string, string>;
        seen.push({ method, url, version, headers, bodyBytes, body: Buffer.concat(body).toString('latin1') });
        response.writeHead(200, ['content-length', '0']).end();
      });
      request.resume();
    },
    answerFault(fault) {
      faults.push(fault);
      return '';
    },
  };
  const socket = new ServerSide({ allowHalfOpen: true });
  const connection = new EdgeConnection(socket as unknown as Socket, host);
  socket.on('data', (bytes: Buffer) => {
    const read = Buffer.from(bytes);
    connection.read(read);
    // The next read, of any connection, uses the same memory.
    read.fill('X');
  });
  return { socket, outcome: () => ({ seen, faults, ended: socket.writableEnded || socket.destroyed }) };
}

/** Node's own server, in its strict mode. */
export class NodeParser {
  readonly #server: Server;
  readonly #seen = new WeakMap<object, SeenRequest[]>();

  constructor() {
    this.#server = createServer({ requireHostHeader: false, headersTimeout: 0, requestTimeout: 0 });
    // Node answers 417 by itself otherwise.
    this.#server.on('checkExpectation', (request, response) =>
      this.#server.emit('request', request, response),
    );
    this.#server.on('request', (request, response) => {
      const body: Buffer[] = [];
      request.on('data', (chunk: Buffer) => body.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        this.#seen.get(request.socket)?.push(seenBy(request, body));
        response.writeHead(200, ['content-length', '0']).end();
      });
    });
    // What was read before stays to be compared.
    this.#server.on('clientError', () => undefined);
  }

  open(): { socket: ServerSide; outcome: () => Outcome } {
    const socket = new ServerSide({ allowHalfOpen: true });
    const seen: SeenRequest[] = [];
    this.#seen.set(socket, seen);
    this.#server.emit('connection', socket);
    return { socket, outcome: () => ({ seen, faults: [], ended: socket.destroyed }) };
  }
}

function seenBy(request: IncomingMessage, body: readonly Buffer[]): SeenRequest {
  const { method = '', url = '', httpVersion: version } = request;
  const { 'content-length': length, ...others } = request.headers;
  const headers = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  const bodyBytes = others['transfer-encoding'] === undefined ? Number(length ?? 0) : CHUNKED;
  return { method, url, version, headers, bodyBytes, body: Buffer.concat(body).toString('latin1') };
}

export async function readOurs(pieces: readonly Buffer[]): Promise<Outcome> {
  const { socket, outcome } = ours();
  for (const piece of pieces) {
    // A copy, because a decoder may move bytes within what it was given.
    socket.push(Buffer.from(piece));
    await quiet();
  }
  socket.destroy();
  return outcome();
}

/** What is wrong with the outcomes of one stream; null if nothing. */
export function differenceOf(our: Outcome, node: Outcome): string | null {
  for (const [i, request] of our.seen.entries()) {
    if (JSON.stringify(sorted(request)) !== JSON.stringify(sorted(node.seen[i])))
      return `request ${i}: ours ${JSON.stringify(request)}, Node's ${JSON.stringify(node.seen[i])}`;
    // Node reads nothing behind an upgrade; we do not upgrade, so that HTTP continues.
    if (/upgrade/i.test(request.headers.connection ?? '') && request.headers.upgrade !== undefined)
      return null;
  }
  if (node.seen.length === our.seen.length) return null;
  // Node may accept more, but only behind something that made us close the connection.
  if (our.ended && node.seen.length > our.seen.length) return null;
  return `ours sees ${our.seen.length} requests, Node's ${node.seen.length}`;
}

function sorted(request: SeenRequest | undefined): unknown {
  return request && { ...request, headers: Object.entries(request.headers).toSorted() };
}

export interface FuzzFigures {
  requests: number;
  accepted: number;
  rejectedStreams: number;
}

const AT_ONCE = 100;

/** Throws at the first difference. */
export async function compareParsers(seed: number, streams: number): Promise<FuzzFigures> {
  const random = seeded(seed);
  const parser = new NodeParser();
  const figures = { requests: 0, accepted: 0, rejectedStreams: 0 };
  for (let done = 0; done < streams; done += AT_ONCE) {
    const group = Array.from({ length: AT_ONCE }, () => {
      const bytes = mutatedStream(random);
      const pieces = splitStream(bytes, random);
      return { bytes, ours: ours(), split: ours(), again: ours(), node: parser.open(), pieces };
    });
    for (const one of group) {
      one.ours.socket.push(Buffer.from(one.bytes));
      one.node.socket.push(Buffer.from(one.bytes));
    }
    for (let i = 0; group.some(({ pieces }) => i < pieces.length); i++) {
      for (const { split, pieces } of group) {
        const piece = pieces[i];
        if (piece !== undefined && !split.socket.destroyed) split.socket.push(Buffer.from(piece));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await quiet();
    // Most of their heads are known by now.
    for (const { again, bytes } of group) again.socket.push(Buffer.from(bytes));
    await quiet();
    for (const one of group) {
      const [whole, split, again] = [one.ours.outcome(), one.split.outcome(), one.again.outcome()];
      const difference =
        differenceOf(whole, one.node.outcome()) ??
        ownDifference(whole, split, 'in pieces') ??
        ownDifference(whole, again, 'once more');
      if (difference !== null)
        throw new Error(`seed ${seed}: ${JSON.stringify(one.bytes.toString('latin1'))}: ${difference}`);
      figures.requests += one.bytes.toString('latin1').split(' HTTP/1.').length - 1;
      figures.accepted += whole.seen.length;
      if (whole.ended) figures.rejectedStreams++;
      for (const { socket } of [one.ours, one.split, one.again, one.node]) socket.destroy();
    }
  }
  return figures;
}

function ownDifference(whole: Outcome, other: Outcome, how: string): string | null {
  const same = JSON.stringify(whole.seen) === JSON.stringify(other.seen) && whole.ended === other.ended;
  return same ? null : `whole ${JSON.stringify(whole)}, ${how} ${JSON.stringify(other)}`;
}
