/** A call whose answer comes in one piece: relayed or translated, priced, made durable, then sent. */
import { Problem } from '../kernel/problem.ts';
import { printUnits } from '../kernel/units.ts';
import { BodyCollector } from '../net/collect-body.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { WholeAnswer } from '../text/text-format.ts';
import { translateAnswer } from '../text/translate.ts';
import { AllRoutesFailed, callUpstream, failureProblem, type Opened } from './call-upstream.ts';
import { prepareText, relays } from './prepare-text.ts';
import { countedUsage, reportedUsage, settleCall } from './settle-call.ts';
import { type RunningText, type RunTextTools, replyHeaders } from './text-request.ts';

export async function runWhole<Request>(call: RunningText<Request>, tools: RunTextTools): Promise<void> {
  const sentMs = tools.clock.elapsedMs();
  const { opened, body } = await wholeAnswer(call, tools);
  const receivedMs = tools.clock.elapsedMs();
  const answer = readAnswer(call, opened, body);
  if (answer === null) {
    throw new AllRoutesFailed(
      new Problem('upstream_error', { detail: 'The provider sent an answer that cannot be read.' }),
      opened.attempts,
      opened.route,
    );
  }
  const used =
    answer.usage !== null
      ? reportedUsage(answer.usage)
      : await countedUsage(
          {
            prompt: () => call.format.promptTexts(call.request),
            images: call.images,
            produced: () => ({ texts: answer.texts(), restCharacters: 0 }),
          },
          tools.tokens,
        );
  const settling = settleCall(
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
  const keeping = call.keep?.(answer.output?.() ?? []);
  const cost = await settling;
  if (keeping !== undefined) await keeping;
  const overheadMs = tools.clock.elapsedMs() - receivedMs + (sentMs - call.facts.startedMs);
  const headers = replyHeaders(opened, overheadMs);
  if (cost !== null) headers['x-tollgate-cost-units'] = printUnits(cost);
  call.reply.sendJson(answer.body({ usage: used.usage, cost }), headers);
}

function readAnswer<Request>(call: RunningText<Request>, opened: Opened, body: Buffer): WholeAnswer | null {
  const { format, context } = call;
  if (relays(opened.text, call)) return format.relayAnswer(body, context);
  const result = opened.text.readAnswer(body, context.callId);
  return result === null ? null : translateAnswer(result, format, context);
}

function wholeAnswer<Request>(
  call: RunningText<Request>,
  tools: RunTextTools,
): Promise<{ opened: Opened; body: Buffer }> {
  return new Promise((resolve, reject) => {
    callUpstream(
      {
        model: call.facts.model,
        cancellation: call.cancellation,
        prepare: prepareText(call),
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
