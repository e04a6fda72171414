/** A call whose answer comes in one piece: read, priced, made durable, then sent. Every kind of call has it. */
import type { UpstreamRoute } from '../catalog/model.ts';
import type { Cancellation } from '../kernel/cancellation.ts';
import { Problem } from '../kernel/problem.ts';
import { printUnits } from '../kernel/units.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import { type Body, BodyCollector } from '../net/collect-body.ts';
import { UpstreamFailure } from '../net/upstream-call.ts';
import type { Provider, ProviderApi } from '../providers/provider.ts';
import type { ShownBody, WholeAnswer } from '../text/text-format.ts';
import type { CallReply } from './call-reply.ts';
import { type CallTools, replyHeaders } from './call-tools.ts';
import {
  AllRoutesFailed,
  callUpstream,
  failureProblem,
  type Opened,
  type Prepared,
} from './call-upstream.ts';
import { type KeepOutput, keepOutput } from './keep-output.ts';
import { type CallFacts, countedUsage, reportedUsage, settleCall } from './settle-call.ts';

export interface WholeCall<Api extends ProviderApi> {
  readonly lease: ByteLease;
  readonly facts: CallFacts;
  readonly reply: CallReply;
  readonly cancellation: Cancellation;
  prepare(route: UpstreamRoute, provider: Provider): Prepared<Api> | Problem;
  /** Null when the body is no answer; a Problem when it is one that has nothing for the caller. */
  read(opened: Opened<Api>, body: Body): WholeAnswer<ShownBody> | Problem | null;
  /** The words of the prompt, for counting tokens where the provider did not. */
  promptTexts(): string[];
  /** How many tokens of the prompt were sent as such. */
  readonly promptTokens?: number;
  /** How many images the prompt has. */
  readonly images: number;
  readonly keep: KeepOutput | null;
  /** A line of a batch. */
  readonly asWritten?: boolean;
}

export async function runWhole<Api extends ProviderApi>(
  call: WholeCall<Api>,
  tools: CallTools,
): Promise<void> {
  const sentMs = tools.clock.elapsedMs();
  const { opened, body } = await wholeAnswer(call, tools);
  const receivedMs = tools.clock.elapsedMs();
  const answer = call.read(opened, body);
  if (answer === null || answer instanceof Problem) {
    throw new AllRoutesFailed(answer ?? unreadable(), opened.attempts, opened.route);
  }
  const { usage, usageSource } =
    answer.usage !== null
      ? reportedUsage(answer.usage)
      : await countedUsage(
          {
            prompt: () => call.promptTexts(),
            promptTokens: call.promptTokens ?? 0,
            images: call.images,
            produced: () => ({ texts: answer.texts(), restCharacters: 0 }),
          },
          tools.tokens,
        );
  const used = answer.images === undefined ? usage : { ...usage, images: answer.images };
  const settling = settleCall(
    call.facts,
    {
      route: opened.route,
      attempts: opened.attempts,
      usage: used,
      usageSource,
      outcome: call.reply.gone ? 'partial' : 'completed',
      problem: null,
      finishReason: answer.finishReason,
      firstByteMs: null,
      ...(answer.imageKind !== undefined && { image: answer.imageKind }),
    },
    tools,
  );
  const keeping =
    call.keep === null ? null : keepOutput(call.keep, () => answer.output?.() ?? [], tools.background);
  const cost = await settling;
  const kept = keeping === null ? undefined : await keeping;
  const overheadMs = tools.clock.elapsedMs() - receivedMs + (sentMs - call.facts.startedMs);
  const headers = replyHeaders(opened, overheadMs);
  if (cost !== null) headers['x-tollgate-cost-units'] = printUnits(cost);
  call.reply.sendJson(answer.body({ usage: used, cost, ...(kept !== undefined && { kept }) }), headers);
}

function unreadable(): Problem {
  return new Problem('upstream_error', { detail: 'The provider sent an answer that cannot be read.' });
}

function wholeAnswer<Api extends ProviderApi>(
  call: WholeCall<Api>,
  tools: CallTools,
): Promise<{ opened: Opened<Api>; body: Body }> {
  return new Promise((resolve, reject) => {
    callUpstream<Api>(
      {
        model: call.facts.model,
        caller: call.facts.principal.spaceId,
        cancellation: call.cancellation,
        asWritten: call.asWritten ?? false,
        untilMs: call.facts.startedMs + tools.limits.callTotalMs,
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
              reject(new AllRoutesFailed(failureProblem(body), opened.attempts, opened.route));
            },
          });
        },
      },
      tools,
    ).catch(reject);
  });
}
