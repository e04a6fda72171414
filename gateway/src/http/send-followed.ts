/** Sends an answer that another request began: as it is produced, or as it was stored. */
import type { Principal } from '../access/principal.ts';
import type { Problem } from '../kernel/problem.ts';
import type { Clock } from '../kernel/time.ts';
import type { OpenLimits } from '../memory/open-limits.ts';
import { answerNotKept } from '../stored-answers/answer-problems.ts';
import type { AnswerPiece, Begun } from '../stored-answers/follow-answer.ts';
import type { StoredAnswers } from '../stored-answers/stored-answers.ts';
import { leaseOf } from './define-route.ts';
import type { Exchange } from './exchange.ts';
import { HttpCallReply } from './http-call-reply.ts';
import type { KeepAliveTimer } from './keep-alive-timer.ts';

export interface FollowAnswerOptions {
  readonly answers: StoredAnswers;
  readonly clock: Clock;
  readonly keepAlive: KeepAliveTimer;
  readonly openStreams: OpenLimits;
  /** How long a repeat waits for an answer in one piece that another process makes. */
  readonly waitMs: number;
}

export interface FollowedRequest {
  readonly exchange: Exchange;
  readonly principal: Principal;
  /** Absent: the answer is one piece. */
  readonly streamed?: boolean;
  /** Writes an error as the last events of a stream, as a byte string. */
  readonly writeFailure?: (problem: Problem, callId: string) => string;
}

export interface FollowedAnswer extends FollowAnswerOptions {
  /** Events up to this number are left out. */
  readonly after: number;
  /** Added to those of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Leaves out events; returns an empty text if none is left. */
  readonly choose?: (events: string) => string;
  /** The stream begins before there is an event, so that an error is an event. */
  readonly atOnce?: boolean;
  /** It is counted as an open stream already; called at its end. */
  readonly leave?: () => void;
}

export async function sendFollowed(
  { exchange, principal, streamed = false, writeFailure }: FollowedRequest,
  begun: Begun,
  of: FollowedAnswer,
): Promise<void> {
  const { answers, clock, keepAlive, after, waitMs } = of;
  const { callId } = begun.answer;
  const leave = of.leave ?? (streamed ? of.openStreams.enter(principal) : null);
  const reply = new HttpCallReply(exchange, { streams: streamed, keepAlive, clock });
  const left = new AbortController();
  reply.onGone(() => left.abort());
  reply.onHead(() => of.headers);
  reply.onFail((problem) => writeFailure?.(problem, callId) ?? '');
  exchange.shownId = callId;
  if (of.atOnce) reply.startStream({});
  try {
    if (begun.kind === 'stored') await leaseOf(exchange).take(begun.answer.bytes);
    const pieces = answers.follow(begun, { waitMs, after, signal: left.signal });
    if (streamed) await sendEvents(reply, pieces, { left: left.signal, choose: of.choose });
    else await sendWhole(reply, pieces, callId);
    if (reply.stopped !== null) throw reply.stopped;
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
  for await (const { text, headers } of pieces) return reply.sendWhole({ body: text, headers });
  // Its bytes were removed meanwhile.
  if (!reply.gone && reply.stopped === null) throw answerNotKept(callId);
}

/** No faster than the caller reads. */
async function sendEvents(
  reply: HttpCallReply,
  pieces: AsyncIterable<AnswerPiece>,
  { left, choose }: { left: AbortSignal; choose: FollowedAnswer['choose'] },
): Promise<void> {
  let drained = Promise.withResolvers<void>();
  reply.onDrain(() => drained.resolve());
  left.addEventListener('abort', () => drained.resolve());
  for await (const { text, headers } of pieces) {
    const chosen = choose === undefined ? text : choose(text);
    if (chosen === '') continue;
    drained = Promise.withResolvers();
    reply.startStream(headers);
    if (!reply.write(chosen) && !left.aborted) await drained.promise;
  }
  if (reply.stopped !== null) return;
  reply.startStream({});
  reply.endStream('');
}
