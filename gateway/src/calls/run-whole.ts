/** A call whose answer is not streamed: it is read, priced, recorded and then sent. Used by all kinds of calls. */
import type { Model, UpstreamRoute } from '../catalog/model.ts';
import { callKinds } from '../contract/paid-endpoints.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { Problem } from '../kernel/problem.ts';
import { printUnits, type Units } from '../kernel/units.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import { type Body, BodyCollector } from '../net/collect-body.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { Provider, ProviderApi } from '../providers/provider.ts';
import type { AnswerEnd, ShownBody, WholeAnswer } from '../text/text-format.ts';
import type { WholeReply } from './call-reply.ts';
import { type CallTools, replyHeaders } from './call-tools.ts';
import { AllRoutesFailed, callUpstream } from './call-upstream.ts';
import type { CountableTexts } from './counted-usage.ts';
import { CallEnding, type EndingCall } from './end-call.ts';
import { failureProblem } from './failed-attempt.ts';
import { noteModel } from './trace-call.ts';
import type { OpenedAnswer, PreparedRequest } from './upstream-request.ts';

export interface WholeCall<Api extends ProviderApi> extends EndingCall {
  readonly lease: ByteLease;
  readonly cancellation: Cancellation;
  prepare(route: UpstreamRoute, provider: Provider): PreparedRequest<Api> | Problem;
  /** Null if the body is not a valid answer; a Problem if it has nothing for the caller. */
  read(opened: OpenedAnswer<Api>, body: Body): WholeAnswer<ShownBody> | Problem | null;
  /** The texts of the prompt, for counting tokens if the provider did not. */
  promptTexts(): string[];
  /** Number of tokens that the prompt has as token ids. */
  readonly promptTokens?: number;
  /** Number of images in the prompt. */
  readonly images: number;
  /** A line of a batch. */
  readonly asWritten?: boolean;
  /** The same for all turns of the conversation. */
  readonly conversation?: () => string;
}

export async function runWhole<Api extends ProviderApi>(
  call: WholeCall<Api>,
  tools: CallTools,
): Promise<void> {
  const sentMs = tools.clock.elapsedMs();
  const { opened, body } = await wholeAnswer(call, tools);
  const receivedMs = tools.clock.elapsedMs();
  const { facts, reply, cancellation } = call;
  noteModel(facts.trace, body.pieces[0], opened.route);
  const answer = call.read(opened, body);
  if (answer === null || answer instanceof Problem) throw new AllRoutesFailed(answer ?? unreadable(), opened);
  const ending = new CallEnding(call, { opened, answer, texts: () => textsOf(call, answer) }, tools);
  if (call.fallback !== undefined && (await ending.refused(() => answer.texts()))) return;
  // While its tokens are counted.
  cancellation.onCancel(() => ending.left());
  const replyOf = (end: AnswerEnd): WholeReply => {
    const overheadMs = sentMs - facts.startedMs + tools.clock.elapsedMs() - receivedMs;
    const headers = headersOf(opened, facts.model, overheadMs, end.cost);
    if (answer.contentType !== undefined) headers['content-type'] = answer.contentType;
    return { body: answer.body(end), headers };
  };
  // What is sent is what was stored.
  let stored: WholeReply | null = null;
  const { end } = await ending.complete(async (shown, record, kept) => {
    stored = replyOf(shown);
    await kept.storeWhole(stored, record);
  });
  reply.sendWhole(stored ?? replyOf(end));
}

function textsOf<Api extends ProviderApi>(
  call: WholeCall<Api>,
  answer: WholeAnswer<ShownBody>,
): CountableTexts {
  const { images, promptTokens = 0 } = call;
  return {
    prompt: () => call.promptTexts(),
    promptTokens,
    images,
    produced: () => ({ texts: answer.texts(), restCharacters: 0 }),
    seen: answer.seenDetails?.(),
  };
}

function headersOf(
  opened: OpenedAnswer,
  model: Model,
  overheadMs: number,
  cost: Units | null,
): Record<string, string> {
  const headers = replyHeaders(opened, model, overheadMs);
  if (cost !== null) headers['x-tollgate-cost-units'] = printUnits(cost);
  return headers;
}

function unreadable(): Problem {
  return new Problem('upstream_error', {
    detail: 'The provider sent an invalid answer. Send the request again later.',
  });
}

function wholeAnswer<Api extends ProviderApi>(
  call: WholeCall<Api>,
  tools: CallTools,
): Promise<{ opened: OpenedAnswer<Api>; body: Body }> {
  return new Promise((resolve, reject) => {
    callUpstream<Api>(
      {
        model: call.facts.model,
        caller: call.facts.principal.spaceId,
        cancellation: call.cancellation,
        asWritten: call.asWritten ?? false,
        untilMs: call.facts.startedMs + tools.limits.callTotalMs,
        operation: callKinds[call.facts.endpoint].trace,
        trace: call.facts.trace,
        prepare: (route, provider) => call.prepare(route, provider),
        open: (opened) => {
          const abort = (): void => opened.call.abort();
          call.cancellation.onCancel(abort);
          return new BodyCollector({
            bytesMax: tools.limits.upstreamBodyBytesMax,
            onTooLong: abort,
            declaredBytes: Number(opened.headers['content-length'] ?? 0) || 0,
            room: {
              take: (bytes, granted) => call.lease.takeAnswer(bytes, granted),
              pause: () => opened.call.pause(),
              resume: () => opened.call.resume(),
            },
            done: (body) => {
              if (!(body instanceof UpstreamFailure)) return resolve({ opened, body });
              reject(new AllRoutesFailed(failureProblem(body), opened));
            },
          });
        },
        // Last: what follows a spread in a literal is added to the object field by field.
        ...(call.conversation !== undefined && { conversation: call.conversation }),
        ...(call.fallback !== undefined && { log: call.fallback.log }),
      },
      tools,
    ).catch(reject);
  });
}
