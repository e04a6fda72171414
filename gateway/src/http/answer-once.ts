/**
 * Answers a request with an Idempotency-Key. The first one runs the call. A repeat gets the stored answer, or joins the
 * running one from its beginning, or from the event after its `Last-Event-ID`.
 */
import { createHash, type Hash } from 'node:crypto';
import { ownerOf, type Principal } from '../access/principal.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import { type EventPosition, readEventId } from '../idempotency/event-numbers.ts';
import { AnswerLost, type AnswerPiece, type Begun, type Following } from '../idempotency/follow-answer.ts';
import { answerNotKept, eventGone, keyInFlight } from '../idempotency/repeat-problems.ts';
import type { RepeatableCalls } from '../idempotency/repeatable-calls.ts';
import type { CallOperation, RepeatableScope } from '../idempotency/repeatable-calls.store.ts';
import { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { OpenLimits } from '../metering/open-limits.ts';
import { leaseOf } from './define-route.ts';
import type { Exchange } from './exchange.ts';
import { HttpCallReply } from './http-call-reply.ts';
import type { KeepAliveTimer } from './keep-alive-timer.ts';
import { readIdempotencyKey } from './read-idempotency-key.ts';
import { RepeatableReply } from './repeatable-reply.ts';

/** How often a repeat begins again because the call that it followed was lost. */
const BEGINNINGS_MAX = 3;

/** What a request says about being repeated. */
export interface Repeatable {
  readonly key: string;
  readonly operation: CallOperation;
  /** Gets the bytes of the body. */
  readonly digest: Hash;
  /** The event after which a stream continues; null: from its beginning. */
  readonly position: EventPosition | null;
}

export interface OnceOptions {
  readonly calls: RepeatableCalls;
  readonly clock: Clock;
  readonly keepAlive: KeepAliveTimer;
  readonly openStreams: OpenLimits;
  /** How long a repeat waits for an answer in one piece that another process makes. */
  readonly waitMs: number;
}

/** Makes the reply of the first request from the one over HTTP. */
export type WrapReply = (http: HttpCallReply) => RepeatableReply;

/** Runs the call and answers the request. */
export type RunCall = (wrap: WrapReply) => Promise<void>;

/** Null without an Idempotency-Key. */
export function readRepeatable(request: EdgeRequest, operation: CallOperation): Repeatable | null {
  const key = readIdempotencyKey(request);
  if (key === null) return null;
  const query = request.url.indexOf('?');
  const digest = createHash('sha256').update(`${operation}\n${query < 0 ? '' : request.url.slice(query)}\n`);
  return { key, operation, digest, position: readPosition(request) };
}

function readPosition({ headers }: EdgeRequest): EventPosition | null {
  const { 'last-event-id': sent } = headers;
  if (sent === undefined || sent === '') return null;
  const position = readEventId(String(sent));
  if (position !== null) return position;
  throw new Problem('invalid_parameter', {
    detail: 'Last-Event-ID is not the id of an event of this stream. Send the id of the last event that you received.',
    param: 'Last-Event-ID',
  });
}

export interface OnceRequest {
  readonly exchange: Exchange;
  readonly principal: Principal;
  readonly repeatable: Repeatable;
  /** Absent: the answer is one piece. */
  readonly streamed?: boolean;
  /** Writes an error as the last events of a stream, as a byte string. */
  readonly writeFailure?: (problem: Problem, callId: string) => string;
}

export async function answerOnce(request: OnceRequest, run: RunCall, options: OnceOptions): Promise<void> {
  const { exchange, principal, repeatable, streamed = false } = request;
  const { key, operation, position } = repeatable;
  const scope: RepeatableScope = { spaceId: principal.spaceId, owner: ownerOf(principal), operation, key };
  const digest = repeatable.digest.digest('hex');
  const asked = { scope, digest, callId: exchange.id, streamed, lease: leaseOf(exchange) };
  for (let beginnings = 0; beginnings < BEGINNINGS_MAX; beginnings++) {
    // A request that continues a stream never starts another one.
    const begun = position === null ? await options.calls.begin(asked) : await options.calls.find(asked);
    if (begun === null) throw eventGone();
    if (begun.kind === 'first') return await runFirst(begun.answer, run, options);
    try {
      return await answerRepeat(request, begun, { scope, position, ...options });
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
    }
  }
  throw keyInFlight();
}

async function runFirst(
  answer: Extract<Begun, { answer: unknown }>['answer'],
  run: RunCall,
  { calls }: OnceOptions,
): Promise<void> {
  let reply: RepeatableReply | null = null;
  try {
    await run((http) => {
      reply = new RepeatableReply(http, answer, calls);
      return reply;
    });
  } catch (error) {
    if (!answer.ended) await calls.fail(answer, error, (reply as RepeatableReply | null)?.held ?? false);
    throw error;
  }
}

type RepeatTools = OnceOptions & { readonly scope: RepeatableScope; readonly position: EventPosition | null };

async function answerRepeat(request: OnceRequest, begun: Begun, tools: RepeatTools): Promise<void> {
  const { exchange, principal, streamed = false, writeFailure } = request;
  const { calls, clock, keepAlive, position } = tools;
  const callId = 'answer' in begun ? begun.answer.callId : begun.row.callId;
  if (position !== null && position.callId !== callId) throw eventGone();
  calls.repeated(position !== null ? 'resumed' : begun.kind === 'stored' ? 'replayed' : 'joined');
  const leave = streamed ? tools.openStreams.enter(principal) : null;
  const reply = new HttpCallReply(exchange, { streams: streamed, keepAlive, clock });
  const left = new AbortController();
  reply.onGone(() => left.abort());
  reply.onHead(() => ({ 'idempotent-replayed': 'true' }));
  reply.onFail((problem) => writeFailure?.(problem, callId) ?? '');
  exchange.shownId = callId;
  const following: Following = {
    ...{ scope: tools.scope, waitMs: tools.waitMs, signal: left.signal, after: position?.number ?? 0 },
  };
  try {
    if (begun.kind === 'stored') await leaseOf(exchange).take(begun.row.bytes);
    const pieces = calls.follow(begun, following);
    if (streamed) await sendPieces(reply, pieces, left.signal);
    else await sendWhole(reply, pieces, callId);
  } catch (error) {
    exchange.shownId = exchange.id;
    throw error;
  } finally {
    keepAlive.remove(reply);
    leave?.();
  }
}

async function sendWhole(
  reply: HttpCallReply,
  pieces: AsyncIterable<AnswerPiece>,
  callId: string,
): Promise<void> {
  for await (const { text, headers } of pieces) return reply.sendJson(text, headers);
  // Its bytes were removed meanwhile.
  if (!reply.gone) throw answerNotKept(callId);
}

/** No faster than the caller reads. */
async function sendPieces(
  reply: HttpCallReply,
  pieces: AsyncIterable<AnswerPiece>,
  left: AbortSignal,
): Promise<void> {
  let drained = Promise.withResolvers<void>();
  reply.onDrain(() => drained.resolve());
  left.addEventListener('abort', () => drained.resolve());
  for await (const { text, headers } of pieces) {
    drained = Promise.withResolvers();
    reply.startStream(headers);
    if (!reply.write(text) && !left.aborted) await drained.promise;
  }
  reply.startStream({});
  reply.endStream('');
}
