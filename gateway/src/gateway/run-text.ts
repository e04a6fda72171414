/**
 * A text call from admission to settlement, read top to bottom. It knows neither HTTP on one side
 * nor a provider's protocol on the other.
 */
import { checkTextCall } from '../catalog/check-call.ts';
import { Cancellation } from '../kernel/cancellation.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import { AllRoutesFailed } from './call-upstream.ts';
import { checkContext } from './check-context.ts';
import { runStream } from './run-stream.ts';
import { runWhole } from './run-whole.ts';
import { type CallEnd, settleCall } from './settle-call.ts';
import type { RunningText, RunTextTools, TextRequest } from './text-request.ts';

export async function runText<Request extends { readonly model: string }>(
  call: TextRequest<Request>,
  tools: RunTextTools,
): Promise<void> {
  const { format, request, principal, body, reply, beta, keep } = call;
  const model = tools
    .catalog()
    .find(request.model, { spaceName: principal.spaceName, endpoint: format.name });
  const features = format.features(request);
  checkTextCall(model, features, tools.limits);
  const counting = checkContext(
    model,
    { features, bytes: body.bytes.length },
    () => format.promptTexts(request),
    tools,
  );
  if (counting !== null) await counting;
  tools.recorder.admit();

  const cancellation = new Cancellation();
  reply.onGone(() => cancellation.cancel());
  const { id, startedAt, startedMs } = call;
  const { streams, images } = features;
  const running: RunningText<Request> = {
    ...{ format, request, body, reply, beta, keep, streams, images, cancellation },
    context: {
      ...{ request, callId: id, model: model.code, answers: features.answers },
      createdSeconds: unixSecondsOf(startedAt),
    },
    facts: { id, principal, endpoint: format.name, model, streamed: streams, startedAt, startedMs },
  };
  try {
    await (streams ? runStream(running, tools) : runWhole(running, tools));
  } catch (error) {
    if (!(error instanceof AllRoutesFailed)) throw error;
    // Nothing was produced, so nothing is owed; the record need not hold up the error.
    recordFailure(running, error, tools);
    throw error.problem;
  }
}

function recordFailure<Request>(
  call: RunningText<Request>,
  failure: AllRoutesFailed,
  tools: RunTextTools,
): void {
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
