/**
 * A text call from its checks to its settlement, top to bottom. It depends neither on HTTP nor on the protocol of a
 * provider.
 */
import { checkTextCall } from '../catalog/check-call.ts';
import type { Model } from '../catalog/model.ts';
import { wrongOutputCap } from '../contract/batch-lines/wrong-output-cap.ts';
import { inlineBytes } from '../kernel/json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import type { TextProvider } from '../providers/provider.ts';
import { conversationKey } from '../text/conversation-start.ts';
import type { MediaAddress } from '../text/media-address.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { WholeAnswer } from '../text/text-format.ts';
import { translateAnswer } from '../text/translate.ts';
import { beginCall, finishCall } from './begin-call.ts';
import type { CallTools } from './call-tools.ts';
import { checkContext } from './check-context.ts';
import { prepareText, relays } from './prepare-text.ts';
import { promptTexts } from './prompt-texts.ts';
import { findCallReferences } from './references/find-references.ts';
import { runStream } from './run-stream.ts';
import { runWhole } from './run-whole.ts';
import type { RunningText, TextRequest } from './text-request.ts';

export async function runText<Request extends { readonly model: string }>(
  call: TextRequest<Request>,
  tools: CallTools,
): Promise<void> {
  const { format, request, body, beta, keep, asWritten = false } = call;
  const { model, features, addresses, counting } = checkText(call, tools);
  if (counting !== null) await counting;

  const { streams, images, answers } = features;
  const beginning = beginCall(call, { model, endpoint: format.name, streamed: streams }, tools);
  const begun = beginning instanceof Promise ? await beginning : beginning;
  const createdSeconds = unixSecondsOf(call.startedAt);
  // Most calls have no URLs and no references, and do not wait here.
  const references =
    addresses.length === 0
      ? null
      : await findCallReferences(addresses, call.principal.spaceId, tools.media, body.inline);
  const running: RunningText<Request> = {
    ...begun,
    ...{ format, request, body, beta, keep, streams, images, references, asWritten },
    conversation: () => conversationKey(request, call.headers ?? null, body.inline),
    context: { request, callId: call.id, model: model.code, answers, createdSeconds },
  };
  await finishCall(begun, () => (streams ? runStream(running, tools) : wholeText(running, tools)), tools);
}

export interface CheckedText {
  readonly model: Model;
  readonly features: TextFeatures;
  /** URLs and references in the request. */
  readonly addresses: readonly MediaAddress[];
  readonly counting: Promise<void> | null;
}

/** Throws a Problem for what the model cannot do. `counting` may throw one later; null if no tokens have to be counted. */
export function checkText<Request extends { readonly model: string }>(
  call: Pick<TextRequest<Request>, 'format' | 'request' | 'principal' | 'body' | 'asWritten'>,
  tools: Pick<CallTools, 'catalog' | 'limits' | 'tokens'>,
): CheckedText {
  const { format, request, principal, body } = call;
  const model = tools.catalog().find(request.model, { user: principal, endpoint: format.name });
  const features = format.features(request);
  if (call.asWritten && format.name === 'chat') checkOutputCap(model, request);
  checkTextCall(model, features, tools.limits);
  const addresses = format.addresses(request);
  const size = {
    features,
    bytes: body.bytes.length + (body.inline === undefined ? 0 : inlineBytes(body.inline)),
  };
  const counting = checkContext(model, size, () => promptTexts(call), tools);
  return { model, features, addresses, counting };
}

/** In a call this field is renamed for the model; in a line of a batch it is rejected. */
function checkOutputCap(model: Model, request: object): void {
  const cap = wrongOutputCap(model, request);
  if (cap === null) return;
  throw new Problem('unsupported_parameter', {
    detail: `The model ${model.code} does not support ${cap.sent} in a batch. Use ${cap.wanted} instead.`,
    param: cap.sent,
  });
}

/** Null if the body is not a valid answer of the dialect. */
export function readText<Request>(
  call: Pick<RunningText<Request>, 'format' | 'context'>,
  text: TextProvider,
  body: Buffer,
): WholeAnswer | null {
  const { format, context } = call;
  if (relays(text, call)) return format.relayAnswer(body, context);
  const result = text.readAnswer(body, context.callId);
  return result === null ? null : translateAnswer(result, format, context);
}

function wholeText<Request>(call: RunningText<Request>, tools: CallTools): Promise<void> {
  const { facts, lease, reply, cancellation, images, keep, asWritten, conversation } = call;
  return runWhole<TextProvider>(
    {
      ...{ facts, lease, reply, cancellation, images, keep, asWritten, conversation },
      prepare: prepareText(call),
      promptTexts: () => promptTexts(call),
      read: (opened, body) => readText(call, opened.api, body.whole()),
    },
    tools,
  );
}
