/**
 * Answers a request with an Idempotency-Key. The first one runs the call. A repeat gets the stored answer, or joins the
 * running one from its beginning, or from the event after its `Last-Event-ID`.
 */
import { createHash, type Hash } from 'node:crypto';
import { ownerScope } from '../access/principal.ts';
import type { RepeatsName } from '../contract/paid-endpoints.ts';
import type { EdgeRequest } from '../edge/edge-request.ts';
import { Problem } from '../kernel/problem.ts';
import { eventGone, keyInFlight } from '../stored-answers/answer-problems.ts';
import { type EventPosition, readEventId } from '../stored-answers/event-numbers.ts';
import { AnswerLost, type Begun } from '../stored-answers/follow-answer.ts';
import type { RunningAnswer } from '../stored-answers/running-answer.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
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
  const { repeatable, streamed = false } = request;
  const { answers } = options;
  const claim = { ...repeatable, digest: repeatable.digest.digest('hex'), streamed };
  const first = await claimOrRepeat({ ...request, claim }, answers, (begun) =>
    sendRepeat(request, begun, { ...options, position: repeatable.position }),
  );
  if (first === null) return;
  try {
    await run((http) => new RepeatableReply(http, first, answers));
  } catch (error) {
    if (!first.ended) await answers.fail(first, error);
    throw error;
  }
}

export interface ClaimedRequest extends Pick<FollowedRequest, 'exchange' | 'principal'> {
  readonly claim: Pick<Repeatable, 'key' | 'operation' | 'position'> & {
    readonly digest: string;
    readonly streamed: boolean;
  };
}

/** The answer that this request has to make; null if another request has made it, and `repeat` has answered with it. */
export async function claimOrRepeat(
  { exchange, principal, claim }: ClaimedRequest,
  answers: StoredAnswers,
  repeat: (begun: Begun) => Promise<void>,
): Promise<RunningAnswer | null> {
  const { operation, key, position, digest, streamed } = claim;
  const scope = { ...ownerScope(principal), operation, key };
  const asked = { scope, digest, callId: exchange.id, streamed, lease: leaseOf(exchange) };
  for (let beginnings = 0; beginnings < BEGINNINGS_MAX; beginnings++) {
    // A request that continues a stream never starts another one.
    const begun = position === null ? await answers.begin(asked) : await answers.find(asked);
    if (begun === null) throw eventGone();
    if (begun.kind === 'first') return begun.answer;
    try {
      await repeat(begun);
      return null;
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
    }
  }
  throw keyInFlight();
}

export async function sendRepeat(
  request: FollowedRequest,
  begun: Begun,
  { position, ...options }: FollowAnswerOptions & Pick<Repeatable, 'position'>,
): Promise<void> {
  if (position !== null && position.callId !== begun.answer.callId) throw eventGone();
  options.answers.repeated(position !== null ? 'resumed' : begun.kind === 'stored' ? 'replayed' : 'joined');
  const headers = { 'idempotent-replayed': 'true' };
  await sendFollowed(request, begun, { ...options, headers, after: position?.number ?? 0 });
}
