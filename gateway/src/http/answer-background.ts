/**
 * Answers a request with `background`. It is checked and admitted like any other; then its response is kept as running, the
 * caller gets it, and the call runs on, whether its caller stays or not.
 */
import type { Principal } from '../access/principal.ts';
import type { AdmittedCall } from '../calls/call-reply.ts';
import type { CallTools } from '../calls/call-tools.ts';
import { callFacts } from '../calls/lost-call.ts';
import { runText } from '../calls/run-text.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { asProblem, Problem } from '../kernel/problem.ts';
import type { OpenLimits } from '../memory/open-limits.ts';
import type { BackgroundResponses } from '../responses/background-responses.ts';
import type { ResponseItems } from '../responses/prepare-response.ts';
import type { Item } from '../responses/read-turn.ts';
import { eventGone, keyInFlight } from '../stored-answers/answer-problems.ts';
import type { Begun } from '../stored-answers/follow-answer.ts';
import type { RunningAnswer } from '../stored-answers/running-answer.ts';
import { answerId } from '../text/answer-ids.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import { writeResponse } from '../text/formats/responses/write-response.ts';
import type { AnswerContext } from '../text/text-format.ts';
import { claimOrRepeat, sendRepeat } from './answer-once.ts';
import { BackgroundReply } from './background-reply.ts';
import { leaseOf } from './define-route.ts';
import type { Exchange } from './exchange.ts';
import type { DetachedCall } from './paid-route.ts';
import { type FollowAnswerOptions, type FollowedAnswer, sendFollowed } from './send-followed.ts';
import { failureIn } from './write-failure.ts';

export interface BackgroundOptions {
  readonly tools: CallTools;
  readonly follow: FollowAnswerOptions;
  readonly responses: BackgroundResponses;
  readonly open: OpenLimits;
  /** Whether a model can stream. Its calls are streams then, so that what was produced is known whenever they end. */
  streams(model: string, principal: Principal): boolean;
  check(sent: JsonObject, principal: Principal): Promise<CheckedBackground>;
  /** The response as it is now; null if it is not kept. */
  find(exchange: Exchange, principal: Principal, id: string): Promise<Item | null>;
}

export interface CheckedBackground extends Pick<ResponseItems, 'previousId' | 'input'> {
  readonly request: ResponsesRequest;
  readonly body: JsonObject;
  /** Includes the long texts that are kept outside of a large body. */
  readonly expand: <Value>(value: Value) => Value;
}

export interface BackgroundRequest extends DetachedCall {
  readonly sent: JsonObject;
}

export async function answerBackground(asked: BackgroundRequest, options: BackgroundOptions): Promise<void> {
  const { exchange, principal, repeatable, sent } = asked;
  const claim = {
    operation: 'responses' as const,
    key: repeatable?.key ?? exchange.id,
    position: repeatable?.position ?? null,
    digest: repeatable?.digest.digest('hex') ?? '',
    streamed: sent.value.stream === true || options.streams(String(sent.value.model), principal),
  };
  const first = await claimOrRepeat({ ...asked, claim }, options.follow.answers, (begun) =>
    answerRepeat(asked, begun, options),
  );
  if (first !== null) await runDetached(asked, first, options);
}

async function answerRepeat(
  { exchange, principal, sent, repeatable }: BackgroundRequest,
  begun: Begun,
  { follow, find }: BackgroundOptions,
): Promise<void> {
  const writeFailure = failureIn(responsesFormat, sent);
  if (sent.value.stream === true) {
    const request = { exchange, principal, streamed: true, writeFailure };
    return await sendRepeat(request, begun, { ...follow, position: repeatable?.position ?? null });
  }
  const { callId } = begun.answer;
  const response = await find(exchange, principal, answerId('resp', callId));
  // It is being kept at this moment, or was deleted.
  if (response === null) throw begun.kind === 'stored' ? eventGone() : keyInFlight();
  follow.answers.repeated(begun.kind === 'stored' ? 'replayed' : 'joined');
  exchange.shownId = callId;
  exchange.sendJson(200, JSON.stringify(response), { 'idempotent-replayed': 'true' });
}

async function runDetached(
  asked: BackgroundRequest,
  answer: RunningAnswer,
  options: BackgroundOptions,
): Promise<void> {
  const { exchange, principal, sent, tags } = asked;
  const { tools, follow, responses, open } = options;
  exchange.onStop((problem) => answer.stop(problem));
  let reply: BackgroundReply | null = null;
  let leave: (() => void) | null = null;
  let leaveStream: (() => void) | null = null;
  let following: Promise<void> | null = null;
  try {
    const checked = await options.check(sent, principal);
    const { request, body, expand } = checked;
    exchange.model = request.model;
    if (exchange.stopped !== null) throw exchange.stopped;
    leave = open.enter(principal);
    if (sent.value.stream === true) leaveStream = follow.openStreams.enter(principal);
    reply = new BackgroundReply({
      answer,
      answers: follow.answers,
      responses,
      expand,
      onAdmitted: async (call, headers) => {
        const head = await keepRunning(call, checked, options);
        if (leaveStream !== null)
          following = followOwn(asked, answer, { ...follow, headers, leave: leaveStream });
        else if (!exchange.response.destroyed) exchange.sendJson(200, queued(head), headers);
      },
    });
    const { id, startedAt, startedMs, trace } = exchange;
    const call = { id, principal, lease: leaseOf(exchange), startedAt, startedMs, tags, trace };
    const { headers } = exchange.request;
    const of = { format: responsesFormat, request, body, reply, headers, beta: null, keep: reply.keep };
    await runText({ ...call, ...of }, tools);
  } catch (error) {
    if (!reply?.begun) {
      await follow.answers.fail(answer, error);
      throw error;
    }
    await reply.fail(error);
  } finally {
    leave?.();
    if (following !== null) await following;
    else (leaveStream as (() => void) | null)?.();
  }
}

/** Streams the answer to its own caller as to any other reader: the call does not wait for it. */
async function followOwn(
  { exchange, principal, sent }: BackgroundRequest,
  answer: RunningAnswer,
  options: Omit<FollowedAnswer, 'after'>,
): Promise<void> {
  const request = { exchange, principal, streamed: true, writeFailure: failureIn(responsesFormat, sent) };
  try {
    await sendFollowed(request, { kind: 'joined', answer }, { ...options, after: 0, atOnce: true });
  } catch (error) {
    exchange.fail(asProblem(error));
  }
}

/** Keeps the response as running. Returns it without its items. */
async function keepRunning(
  call: AdmittedCall,
  { previousId, input, expand }: CheckedBackground,
  { responses, tools }: BackgroundOptions,
): Promise<Item> {
  const { principal, id: callId } = call.facts;
  const context = call.context as AnswerContext<ResponsesRequest>;
  const facts = await callFacts(call, tools.tokens);
  const { output: _, ...head } = expand(writeResponse(context, { status: 'in_progress', output: [] }));
  await responses.begin(
    principal,
    { id: answerId('resp', callId), previousId, input, head },
    { callId, facts },
  );
  return head;
}

function queued(head: Item): string {
  return JSON.stringify({ ...head, status: 'queued', output: [], estimated_cost: null });
}

/** Throws if a background response could not be read later. */
export function checkKeepsResponses({ keepsResponses, spaceName }: Principal): void {
  if (keepsResponses) return;
  throw new Problem('invalid_parameter', {
    detail: `A background response is kept, but the space ${spaceName} keeps no responses. Remove "background", or ask your operator.`,
    param: 'background',
  });
}
