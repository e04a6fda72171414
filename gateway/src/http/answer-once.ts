/**
 * Answers a request with an Idempotency-Key. The first one runs the call. A repeat gets the stored answer, or joins the
 * running one from its beginning, or from the event after its `Last-Event-ID`.
 */
import { createHash, type Hash } from 'node:crypto';
import { ownerOf } from '../access/principal.ts';
import type { RepeatsName } from '../contract/paid-endpoints.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import { type EventPosition, readEventId } from '../idempotency/event-numbers.ts';
import { AnswerLost, type Begun, followedCallId } from '../idempotency/follow-answer.ts';
import { eventGone, keyInFlight } from '../idempotency/repeat-problems.ts';
import type { RepeatableScope } from '../idempotency/repeatable-calls.store.ts';
import { Problem } from '../kernel/problem.ts';
import { leaseOf } from './define-route.ts';
import type { HttpCallReply } from './http-call-reply.ts';
import { readIdempotencyKey } from './read-idempotency-key.ts';
import { RepeatableReply } from './repeatable-reply.ts';
import { type FollowAnswerOptions, type FollowedRequest, sendFollowed } from './send-followed.ts';

/** How often a repeat begins again because the call that it followed was lost. */
const BEGINNINGS_MAX = 3;

/** What a request says about being repeated. */
export interface Repeatable {
  readonly key: string;
  readonly operation: RepeatsName;
  /** Gets the bytes of the body. */
  readonly digest: Hash;
  /** The event after which a stream continues; null: from its beginning. */
  readonly position: EventPosition | null;
}

/** Makes the reply of the first request from the one over HTTP. */
export type WrapReply = (http: HttpCallReply) => RepeatableReply;

/** Runs the call and answers the request. */
export type RunCall = (wrap: WrapReply) => Promise<void>;

/** Null without an Idempotency-Key. */
export function readRepeatable(request: EdgeRequest, operation: RepeatsName): Repeatable | null {
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
    detail:
      'Last-Event-ID is not the id of an event of this stream. Send the id of the last event that you received.',
    param: 'Last-Event-ID',
  });
}

export interface OnceRequest extends FollowedRequest {
  readonly repeatable: Repeatable;
}

export async function answerRepeatable(
  request: OnceRequest,
  run: RunCall,
  options: FollowAnswerOptions,
): Promise<void> {
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
      return await sendRepeat(request, begun, { scope, position, ...options });
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
    }
  }
  throw keyInFlight();
}

async function runFirst(
  answer: Extract<Begun, { answer: unknown }>['answer'],
  run: RunCall,
  { calls }: FollowAnswerOptions,
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

type RepeatTools = FollowAnswerOptions & {
  readonly scope: RepeatableScope;
  readonly position: EventPosition | null;
};

export async function sendRepeat(request: FollowedRequest, begun: Begun, tools: RepeatTools): Promise<void> {
  const { position, scope } = tools;
  if (position !== null && position.callId !== followedCallId(begun)) throw eventGone();
  tools.calls.repeated(position !== null ? 'resumed' : begun.kind === 'stored' ? 'replayed' : 'joined');
  const headers = { 'idempotent-replayed': 'true' };
  await sendFollowed(request, begun, { ...tools, scope, headers, after: position?.number ?? 0 });
}
