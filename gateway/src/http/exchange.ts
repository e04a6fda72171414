/** One HTTP request and its answer, as the routes see them. */
import type { KeyStanding } from '../access/key-standing.ts';
import type { Principal } from '../access/principal.ts';
import type { KeyedWork } from '../access/running-work.ts';
import { problemBody } from '../contract/error-body.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import type { EdgeResponse } from '../edge/edge-response.ts';
import type { Problem } from '../kernel/problem.ts';
import { problemCodeEntry } from '../kernel/problem-codes.ts';
import type { Instant } from '../kernel/time.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import type { RequestTrace } from '../telemetry/trace.ts';
import type { FairQueue } from './fair-queue.ts';

/** Bytes of one answer that are written per event-loop turn, so that one large answer does not delay others. */
const TURN_BYTES_MAX = 128 * 1024;

const NO_COOKIES: readonly string[] = [];

/** The values of the `{names}` in a path. */
export type PathParams = Readonly<Record<string, string>>;

export class Exchange implements KeyedWork {
  readonly request: EdgeRequest;
  readonly response: EdgeResponse;
  /** The request id; also the `error_ref` of an error. */
  readonly id: string;
  readonly startedAt: Instant;
  readonly startedMs: number;
  /** The values of the `{names}` in the path of its route. */
  params: PathParams = {};
  /** The id in the headers of the answer: that of the call, if the answer repeats the answer to an earlier request. */
  shownId: string;
  /** Set by streams that have begun and by pages, which send an error in their own format. */
  failInOwnFormat: ((problem: Problem) => void) | null = null;
  /** Its share of the memory budget of its key and space; null on routes without a key. */
  lease: ByteLease | null = null;
  /** Its lane in the fair queue: the caller's address, then the space of its key. */
  lane: string;
  /** The model that the request names, as sent; for metrics. */
  model: string | null = null;
  /** Null if traces are off, or before the route is known. */
  trace: RequestTrace | null = null;
  /** Null on routes without a key. */
  principal: Principal | null = null;
  isCharged = false;
  standing: KeyStanding | null = null;
  place = -1;
  /** Why it has to end before its answer is complete: its key would be rejected now. */
  stopped: Problem | null = null;
  readonly #queue: FairQueue;
  /** Null until there is one: a list that grows takes room for seventeen. */
  #stopListeners: Array<(problem: Problem) => void> | null = null;
  /** Called when the answer has been sent and the handler has returned; null until there is one. */
  #leaving: Array<() => void> | null = null;

  constructor(
    request: EdgeRequest,
    response: EdgeResponse,
    facts: { id: string; startedAt: Instant; startedMs: number; queue: FairQueue },
  ) {
    this.request = request;
    this.response = response;
    this.id = facts.id;
    this.shownId = facts.id;
    this.startedAt = facts.startedAt;
    this.startedMs = facts.startedMs;
    this.#queue = facts.queue;
    this.lane = request.socket.remoteAddress ?? '';
  }

  /** Runs an expensive step now, or later if it is the turn of other spaces. */
  runFairly(step: () => void): void {
    this.#queue.run(this.lane, step);
  }

  /** The key of the request is known. */
  runsUnder(principal: Principal, isCharged: boolean): void {
    this.principal = principal;
    this.isCharged = isCharged;
    this.standing = principal;
    this.lane = principal.spaceId;
  }

  /** What takes long listens, and ends. Everything else is short, and is answered as usual. */
  onStop(listener: (problem: Problem) => void): void {
    if (this.#stopListeners === null) this.#stopListeners = [listener];
    else this.#stopListeners.push(listener);
    if (this.stopped !== null) listener(this.stopped);
  }

  end(problem: Problem): void {
    if (this.stopped !== null) return;
    this.stopped = problem;
    // A key may have hundreds of them, and ending a call costs as much as starting one.
    this.runFairly(() => {
      for (const listener of this.#stopListeners ?? []) listener(problem);
    });
  }

  onOver(leave: () => void): void {
    if (this.#leaving === null) this.#leaving = [leave];
    else this.#leaving.push(leave);
  }

  /** Called once, by the server. */
  over(): void {
    if (this.#leaving !== null) for (const leave of this.#leaving) leave();
    this.lease?.close();
  }

  sendJson(
    status: number,
    text: string,
    headers: Readonly<Record<string, string>> = {},
    cookies: readonly string[] = NO_COOKIES,
  ): void {
    this.#send(status, text, { encoding: 'utf8', length: Buffer.byteLength(text), headers, cookies });
  }

  /** Sends the browser to another address. */
  redirect(location: string, cookies: readonly string[]): void {
    const head = this.headers('text/plain; charset=utf-8', { location, 'content-length': '0' });
    for (const cookie of cookies) head.push('set-cookie', cookie);
    this.response.writeHead(302, head).end();
  }

  sendHtml(status: number, html: string, headers: Readonly<Record<string, string>>): void {
    const length = String(Buffer.byteLength(html));
    const head = this.headers('text/html; charset=utf-8', { ...headers, 'content-length': length });
    this.response.writeHead(status, head).end(html);
  }

  /** The answer to a call: a byte string, or several buffers, which are never concatenated. */
  sendWhole(body: string | readonly Buffer[], headers: Readonly<Record<string, string>>): void {
    if (typeof body === 'string')
      this.#send(200, body, { encoding: 'latin1', length: body.length, headers, cookies: NO_COOKIES });
    else this.#sendAll(body, headers);
  }

  /** Answers 304: the caller already has it. */
  sendUnchanged(headers: Readonly<Record<string, string>>): void {
    const { id } = this;
    this.response.writeHead(304, { 'x-request-id': id, 'request-id': id, ...headers }).end();
  }

  #sendAll(pieces: readonly Buffer[], headers: Readonly<Record<string, string>>): void {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const head = this.headers('application/json', headers);
    head.push('content-length', String(length));
    this.response.writeHead(200, head);
    this.#sendPieces(pieces, 0);
  }

  /** Some per event-loop turn, so that many large answers at once do not block everything else. */
  #sendPieces(pieces: readonly Buffer[], from: number): void {
    const { response } = this;
    // The caller disconnected between two turns.
    if (response.destroyed) return;
    let next = from;
    let bytes = 0;
    for (; next < pieces.length && bytes < TURN_BYTES_MAX; next++) {
      const piece = pieces[next] as Buffer;
      response.write(piece);
      bytes += piece.length;
    }
    if (next >= pieces.length) {
      response.end();
      return;
    }
    const later = (): void => void setImmediate(() => this.#sendPieces(pieces, next));
    if (response.writableNeedDrain) response.once('drain', later);
    else later();
  }

  /** Head and body are sent in one write because both are strings. */
  #send(
    status: number,
    body: string,
    options: {
      encoding: 'utf8' | 'latin1';
      length: number;
      headers: Readonly<Record<string, string>>;
      cookies: readonly string[];
    },
  ): void {
    const head = this.headers('application/json', options.headers);
    for (const cookie of options.cookies) head.push('set-cookie', cookie);
    head.push('content-length', String(options.length));
    this.response.writeHead(status, head);
    this.response.end(body, options.encoding);
  }

  /** The headers of every answer and its own, which may have another type, as a flat list of names and values. */
  headers(contentType: string, own: Readonly<Record<string, string>>): string[] {
    const { shownId: id } = this;
    const head = [
      'content-type',
      own['content-type'] ?? contentType,
      'x-request-id',
      id,
      'request-id',
      id,
      'cache-control',
      own['cache-control'] ?? 'no-store',
    ];
    for (const name in own)
      if (name !== 'cache-control' && name !== 'content-type') head.push(name, own[name] as string);
    return head;
  }

  fail(problem: Problem): void {
    if (this.failInOwnFormat === null) this.sendProblem(problem);
    else this.failInOwnFormat(problem);
  }

  sendProblem(problem: Problem): void {
    const headers = { ...retryHeaders(problem), ...problem.headers };
    this.sendJson(problem.status, JSON.stringify(problemBody(problem, this.id)), headers);
  }
}

/** Default. Some client libraries retry only with this header. */
const RETRY_AFTER_MS = 1_000;

/** SDKs retry 409, 429 and 5xx by themselves; these headers say whether and when to retry. */
export function retryHeaders(problem: Problem): Record<string, string> {
  const { retry } = problemCodeEntry(problem.code);
  const retryAfterMs = problem.retryAfterMs ?? (retry === true ? RETRY_AFTER_MS : null);
  return {
    ...(retry !== undefined && { 'x-should-retry': String(retry) }),
    ...(retryAfterMs !== null && {
      'retry-after-ms': String(retryAfterMs),
      'retry-after': String(Math.ceil(retryAfterMs / 1000)),
    }),
  };
}
