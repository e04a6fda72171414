/**
 * A chat call from admission to settlement, read top to bottom. It knows neither HTTP on one side
 * nor a provider's protocol on the other.
 */
import { checkTextCall } from '../catalog/check-call.ts';
import { Cancellation } from '../kernel/cancellation.ts';
import { Problem } from '../kernel/problem.ts';
import { printUnits } from '../kernel/units.ts';
import { BodyCollector } from '../net/collect-body.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import { readChatFeatures, readPromptTexts } from '../text/formats/chat/read-features.ts';
import { relayChatRequest } from '../text/formats/chat/relay-request.ts';
import { readChatAnswer, relayChatAnswer } from '../text/formats/chat/relay-response.ts';
import { AllRoutesFailed, callUpstream, failureProblem, type Opened } from './call-upstream.ts';
import { type ChatCall, type RunChatTools, type RunningChat, replyHeaders } from './chat-call.ts';
import { relayChatStream } from './relay-chat-stream.ts';
import { type CallEnd, countedUsage, reportedUsage, settleCall } from './settle-call.ts';

export async function runChat(call: ChatCall, tools: RunChatTools): Promise<void> {
  const { request, principal } = call;
  const model = tools.catalog().find(request.model, { spaceName: principal.spaceName, endpoint: 'chat' });
  const features = readChatFeatures(request);
  if (features.messages > tools.limits.messagesMax) {
    throw new Problem('invalid_parameter', {
      detail: `messages must not have more than ${tools.limits.messagesMax} items.`,
      param: 'messages',
    });
  }
  checkTextCall(model, features);
  tools.recorder.admit();

  const cancellation = new Cancellation();
  call.reply.onGone(() => cancellation.cancel());
  const { id, startedAt, startedMs } = call;
  const facts = { id, principal, endpoint: 'chat', model, streamed: features.streams, startedAt, startedMs };
  const { body, reply } = call;
  const running: RunningChat = { request, body, reply, facts, features, cancellation };
  try {
    await (features.streams ? relayChatStream(running, tools) : relayWhole(running, tools));
  } catch (error) {
    if (!(error instanceof AllRoutesFailed)) throw error;
    // Nothing was produced, so nothing is owed; the record need not hold up the error.
    recordFailure(running, error, tools);
    throw error.problem;
  }
}

async function relayWhole(call: RunningChat, tools: RunChatTools): Promise<void> {
  const sentMs = tools.clock.elapsedMs();
  const { opened, body } = await wholeAnswer(call, tools);
  const receivedMs = tools.clock.elapsedMs();
  const answer = readChatAnswer(body);
  if (answer === null) {
    throw new AllRoutesFailed(
      new Problem('upstream_error', { detail: 'The provider sent no chat completion.' }),
      opened.attempts,
      opened.route,
    );
  }
  const used =
    answer.usage !== null
      ? reportedUsage(answer.usage)
      : await countedUsage(
          {
            prompt: () => readPromptTexts(call.request),
            produced: () => ({ texts: answer.texts(), restCharacters: 0 }),
          },
          tools.tokens,
        );
  const cost = await settleCall(
    call.facts,
    {
      route: opened.route,
      attempts: opened.attempts,
      usage: used.usage,
      usageSource: used.usageSource,
      outcome: call.reply.gone ? 'partial' : 'completed',
      problem: null,
      finishReason: answer.finishReason,
      firstByteMs: null,
    },
    tools,
  );
  const overheadMs = tools.clock.elapsedMs() - receivedMs + (sentMs - call.facts.startedMs);
  const headers = replyHeaders(opened, overheadMs);
  if (cost !== null) headers['x-tollgate-cost-units'] = printUnits(cost);
  call.reply.sendJson(relayChatAnswer(answer, { model: call.facts.model.code, cost }), headers);
}

function wholeAnswer(call: RunningChat, tools: RunChatTools): Promise<{ opened: Opened; body: Buffer }> {
  return new Promise((resolve, reject) => {
    callUpstream(
      {
        model: call.facts.model,
        cancellation: call.cancellation,
        body: (route) => relayChatRequest(call.body, route.upstreamModel),
        open: (opened) => {
          const abort = (): void => opened.call.abort();
          call.cancellation.onCancel(abort);
          return new BodyCollector({
            bytesMax: tools.limits.upstreamBodyBytesMax,
            onTooLong: abort,
            done: (body) => {
              if (!(body instanceof UpstreamFailure)) return resolve({ opened, body });
              reject(new AllRoutesFailed(failureProblem(body), opened.attempts, opened.route));
            },
          });
        },
      },
      tools,
    ).catch(reject);
  });
}

function recordFailure(call: RunningChat, failure: AllRoutesFailed, tools: RunChatTools): void {
  const { problem, route, attempts } = failure;
  const end: CallEnd = {
    outcome: 'failed',
    // A caller who left broke nothing, and neither did the provider.
    problem: call.reply.gone ? null : problem.code,
    route,
    attempts,
    finishReason: null,
    usage: null,
    usageSource: 'none',
    firstByteMs: null,
  };
  settleCall(call.facts, end, tools).catch(() => undefined);
}
