/**
 * Answers a request with `background`. It is checked and admitted like any other; then its response is kept as running, the
 * caller gets it, and the call runs on, whether its caller stays or not.
 */
import { ownerOf, type Principal } from '../access/principal.ts';
import type { AdmittedCall } from '../calls/call-reply.ts';
import type { CallTools } from '../calls/call-tools.ts';
import { callFacts } from '../calls/lost-call.ts';
import { runText } from '../calls/run-text.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import { AnswerLost, type Begun } from '../idempotency/follow-answer.ts';
import { eventGone, keyInFlight } from '../idempotency/repeat-problems.ts';
import type { RepeatableScope } from '../idempotency/repeatable-calls.store.ts';
import type { RunningAnswer } from '../idempotency/running-answer.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { asProblem, Problem } from '../kernel/problem.ts';
import type { OpenLimits } from '../memory/open-limits.ts';
import type { BackgroundResponses } from '../responses/background-responses.ts';
import type { ResponseItems } from '../responses/prepare-response.ts';
import type { Item } from '../responses/read-turn.ts';
import { answerId } from '../text/answer-ids.ts';
import { responsesFormat } from '../text/formats/responses/responses.ts';
import { writeResponse } from '../text/formats/responses/write-response.ts';
import type { AnswerContext } from '../text/text-format.ts';
import { sendRepeat } from './answer-once.ts';
import { BackgroundReply } from './background-reply.ts';
import { leaseOf } from './define-route.ts';
import type { Exchange } from './exchange.ts';
import type { DetachedCall } from './paid-route.ts';
import { type FollowAnswerOptions, sendFollowed } from './send-followed.ts';
import { failureIn } from './write-failure.ts';

/** How often a repeat begins again because the call that it followed was lost before it was kept. */
const BEGINNINGS_MAX = 3;

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
  const scope: RepeatableScope = {
    spaceId: principal.spaceId,
    owner: ownerOf(principal),
    operation: 'responses',
    key: repeatable?.key ?? exchange.id,
  };
  const digest = repeatable?.digest.digest('hex') ?? '';
  const streamed = sent.value.stream === true || options.streams(String(sent.value.model), principal);
  const claim = { scope, digest, callId: exchange.id, streamed, lease: leaseOf(exchange) };
  const position = repeatable?.position ?? null;
  for (let beginnings = 0; beginnings < BEGINNINGS_MAX; beginnings++) {
    const { calls } = options.follow;
    const begun = position === null ? await calls.begin(claim) : await calls.find(claim);
    if (begun === null) throw eventGone();
    if (begun.kind === 'first') return await runDetached(asked, begun.answer, options);
    try {
      return await answerRepeat(asked, begun, scope, options);
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
    }
  }
  throw keyInFlight();
}

async function answerRepeat(
  { exchange, principal, sent, repeatable }: BackgroundRequest,
  begun: Begun,
  scope: RepeatableScope,
  { follow, find }: BackgroundOptions,
): Promise<void> {
  const writeFailure = failureIn(responsesFormat, sent);
  if (sent.value.stream === true) {
    const request = { exchange, principal, streamed: true, writeFailure };
    return await sendRepeat(request, begun, { ...follow, scope, position: repeatable?.position ?? null });
  }
  const callId = 'answer' in begun ? begun.answer.callId : begun.row.callId;
  const response = await find(exchange, principal, answerId('resp', callId));
  // It is being kept at this moment, or was deleted.
  if (response === null) throw begun.kind === 'stored' ? eventGone() : keyInFlight();
  follow.calls.repeated(begun.kind === 'stored' ? 'replayed' : 'joined');
  exchange.shownId = callId;
  exchange.sendJson(200, JSON.stringify(response), { 'idempotent-replayed': 'true' });
}

async function runDetached(
  asked: BackgroundRequest,
  answer: RunningAnswer,
  options: BackgroundOptions,
): Promise<void> {
  const { exchange, principal, sent } = asked;
  const { tools, follow, responses } = options;
  const open = new OpenBackground(asked, options);
  exchange.onStop((problem) => answer.stop(problem));
  let reply: BackgroundReply | null = null;
  try {
    const checked = await options.check(sent, principal);
    const { request, body, expand } = checked;
    exchange.model = request.model;
    if (exchange.stopped !== null) throw exchange.stopped;
    open.enter();
    reply = new BackgroundReply({
      answer,
      calls: follow.calls,
      responses,
      clock: tools.clock,
      expand,
      onAdmitted: async (call, headers) => {
        const head = await keepRunning(call, checked, options);
        if (sent.value.stream === true) open.follow(answer, headers);
        else if (!exchange.response.destroyed) exchange.sendJson(200, queued(head), headers);
      },
    });
    const { id, startedAt, startedMs, trace } = exchange;
    const call = { id, principal, lease: leaseOf(exchange), startedAt, startedMs, trace };
    const { headers } = exchange.request;
    const of = { format: responsesFormat, request, body, reply, headers, beta: null, keep: reply.keep };
    await runText({ ...call, ...of }, tools);
  } catch (error) {
    if (!reply?.begun) {
      await follow.calls.fail(answer, error, false);
      throw error;
    }
    await reply.fail(error);
  } finally {
    await open.leave();
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

/** What a request counts in while it is open: its call until it ends, its stream until the caller has it or leaves. */
class OpenBackground {
  readonly #asked: BackgroundRequest;
  readonly #options: BackgroundOptions;
  #leave: (() => void) | null = null;
  #leaveStream: (() => void) | null = null;
  #following: Promise<void> | null = null;

  constructor(asked: BackgroundRequest, options: BackgroundOptions) {
    this.#asked = asked;
    this.#options = options;
  }

  enter(): void {
    const { principal, sent } = this.#asked;
    const { open, follow } = this.#options;
    this.#leave = open.enter(principal);
    if (sent.value.stream === true) this.#leaveStream = follow.openStreams.enter(principal);
  }

  /** Streams the answer as to any other reader: the call does not wait for it. */
  follow(answer: RunningAnswer, headers: Readonly<Record<string, string>>): void {
    const { exchange, principal, sent } = this.#asked;
    const writeFailure = failureIn(responsesFormat, sent);
    const at = {
      ...this.#options.follow,
      scope: answer.scope,
      after: 0,
      headers,
      atOnce: true,
      entered: true,
    };
    this.#following = sendFollowed(
      { exchange, principal, streamed: true, writeFailure },
      { kind: 'joined', answer },
      at,
    )
      .catch((error: unknown) => exchange.fail(asProblem(error)))
      .finally(() => this.#endStream());
  }

  #endStream(): void {
    this.#leaveStream?.();
    this.#leaveStream = null;
  }

  async leave(): Promise<void> {
    this.#leave?.();
    if (this.#following !== null) await this.#following;
    this.#endStream();
  }
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
