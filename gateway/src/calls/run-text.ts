/**
 * A text call from its checks to its settlement, top to bottom. It depends neither on HTTP nor on the protocol of a
 * provider.
 */
import type { Principal } from '../access/principal.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { checkTextCall } from '../catalog/check-call.ts';
import type { Model } from '../catalog/model.ts';
import { wrongOutputCap } from '../contract/batch-lines/wrong-output-cap.ts';
import { inlineBytes } from '../json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import type { TextProvider } from '../providers/provider.ts';
import { conversationKey } from '../text/conversation-start.ts';
import type { MediaAddress } from '../text/media-address.ts';
import type { TextFeatures } from '../text/text-features.ts';
import type { TextFormatName, WholeAnswer } from '../text/text-format.ts';
import { translateAnswer } from '../text/translate.ts';
import { attributeCall, isBounded, textSources } from './attribute-call.ts';
import { beginCall, finishCall, type StartedCall } from './begin-call.ts';
import type { CallSize } from './believable-usage.ts';
import { BoundText } from './bound-text.ts';
import type { CallTools } from './call-tools.ts';
import { checkAskedPrices, preparePriced } from './check-asked-prices.ts';
import { checkContext } from './check-context.ts';
import { countFor } from './count-for.ts';
import { ModelFallbacks } from './model-fallbacks.ts';
import { relays } from './prepare-text.ts';
import { promptTexts } from './prompt-texts.ts';
import { findCallReferences } from './references/find-references.ts';
import type { CallReferences } from './references/place-references.ts';
import { roughCost } from './rough-cost.ts';
import { runStream } from './run-stream.ts';
import { runWhole, type WholeCall } from './run-whole.ts';
import type { RunningText, TextRequest } from './text-request.ts';

export async function runText<Request extends { readonly model: string }>(
  call: TextRequest<Request>,
  tools: CallTools,
): Promise<void> {
  const { format, request, asWritten = false } = call;
  const checked = checkText(call, tools);
  const { model, features, addresses, bytes, counting } = checked;
  const fallbacks = model.fallbacks === undefined || asWritten ? null : fallbacksOf(call, model, tools);
  const tooLong = counting === null ? null : await tooLongFor(counting, fallbacks !== null);

  const { streams, answers, outputTokensMax } = features;
  const size = { bytes, addresses: addresses.length, answers, outputTokensMax };
  const { principal, startedAt: at } = call;
  const attributed = attributeCall(call, textSources(call), answeringModels(model, asWritten), tools);
  const bound =
    isBounded(principal, attributed) && !asWritten
      ? new BoundText(call, { model, size, addresses }, tools.catalog())
      : null;
  const cost = bound ?? { atMost: () => roughCost({ model, principal, at, size }) };
  const headers = bound === null ? undefined : () => bound.headers();
  const endpoint = format.name;
  const asked = { model, requested: request.model, endpoint, streamed: streams, cost, attributed, headers };
  const beginning = beginCall(call, asked, tools);
  const begun = beginning instanceof Promise ? await beginning : beginning;
  const of = { begun, checked, size, bound };
  const run = (running: RunningText<Request>): Promise<void> =>
    fallbacks === null ? runOnModel(running, tools) : fallbacks.run(running, tooLong);
  // Most calls have no URLs and no references, and their replies only wait for the answer.
  const isReady = checked.addresses.length === 0 && begun.reply.admitted === undefined;
  const work = (): Promise<void> =>
    isReady ? run(runningText(call, of, null)) : admittedText(call, of, tools).then(run);
  await finishCall(begun, work, tools);
}

/** The codes of those that may answer. */
function answeringModels({ code, fallbacks = [] }: Model, asWritten: boolean): readonly string[] {
  return asWritten || fallbacks.length === 0 ? [code] : [code, ...fallbacks.map(({ model }) => model)];
}

interface BegunText {
  readonly begun: StartedCall;
  readonly checked: CheckedText;
  readonly size: CallSize;
  readonly bound: BoundText | null;
}

async function admittedText<Request extends { readonly model: string }>(
  call: TextRequest<Request>,
  of: BegunText,
  tools: CallTools,
): Promise<RunningText<Request>> {
  const { addresses } = of.checked;
  const references =
    addresses.length === 0
      ? null
      : await findCallReferences(addresses, call.principal.spaceId, tools.media, call.body.inline);
  const running = runningText(call, of, references);
  const { reply, facts, context, images } = running;
  if (reply.admitted !== undefined)
    await reply.admitted({ facts, context, images, promptTexts: () => promptTexts(running) });
  return running;
}

function runningText<Request extends { readonly model: string }>(
  call: TextRequest<Request>,
  of: BegunText,
  references: CallReferences | null,
): RunningText<Request> {
  const { format, request, body, beta, keep, asWritten = false } = call;
  const { begun, size, bound } = of;
  const { model, features } = of.checked;
  const { streams, images, answers, toolMedia, mayCallTools } = features;
  const { facts, lease, reply, cancellation } = begun;
  const createdSeconds = unixSecondsOf(call.startedAt);
  // Named one by one: every call comes here, and a spread copies them more slowly.
  return {
    facts,
    lease,
    reply,
    cancellation,
    format,
    request,
    body,
    beta,
    keep,
    streams,
    images,
    toolMedia,
    size: bound?.size ?? size,
    outputCap: bound?.outputCap ?? null,
    references,
    asWritten,
    conversation: () => conversationKey(request, call.headers ?? null, body.inline),
    context: { request, callId: call.id, model: model.code, answers, createdSeconds },
    reading: { callId: call.id, mayCallTools },
  };
}

function runOnModel<Request>(call: RunningText<Request>, tools: CallTools): Promise<void> {
  return call.streams ? runStream(call, tools) : wholeText(call, tools);
}

/** Throws the Problem of a prompt that is too long, unless another model may take it. */
async function tooLongFor(counting: Promise<void>, others: boolean): Promise<Problem | null> {
  try {
    await counting;
    return null;
  } catch (error) {
    if (!others || !(error instanceof Problem) || error.code !== 'context_length_exceeded') throw error;
    return error;
  }
}

function fallbacksOf<Request extends { readonly model: string }>(
  call: TextRequest<Request>,
  model: Model,
  tools: CallTools,
): ModelFallbacks<Request> {
  const catalog = tools.catalog();
  const plan = {
    async check(code: string): Promise<Model> {
      const checked = checkModel(call, findModel(code, call, catalog), tools);
      await checked.counting;
      return checked.model;
    },
    run: (running: RunningText<Request>) => runOnModel(running, tools),
  };
  return new ModelFallbacks(model, plan, tools);
}

export interface CheckedText {
  readonly model: Model;
  readonly features: TextFeatures;
  /** URLs and references in the request. */
  readonly addresses: readonly MediaAddress[];
  /** Of the body. */
  readonly bytes: number;
  readonly counting: Promise<void> | null;
}

type CheckTool = 'limits' | 'tokens' | 'providers' | 'clock';

/** A call, or a line of a batch that has no reply yet. */
type CheckableText<Request extends { readonly model: string }> = Pick<
  TextRequest<Request>,
  'format' | 'request' | 'principal' | 'body' | 'asWritten'
> &
  Partial<Pick<TextRequest<Request>, 'reply'>>;

/** Throws a Problem for what the model cannot do. `counting` may throw one later; null if no tokens have to be counted. */
export function checkText<Request extends { readonly model: string }>(
  call: CheckableText<Request>,
  tools: Pick<CallTools, CheckTool> & { readonly catalog: () => Pick<Catalog, 'find'> },
): CheckedText {
  return checkModel(call, findModel(call.request.model, call, tools.catalog()), tools);
}

function findModel(
  code: string,
  { format, principal }: { format: { name: TextFormatName }; principal: Principal },
  catalog: Pick<Catalog, 'find'>,
): Model {
  return catalog.find(code, { user: principal, endpoint: format.name });
}

function checkModel<Request extends { readonly model: string }>(
  call: CheckableText<Request>,
  model: Model,
  tools: Pick<CallTools, CheckTool>,
): CheckedText {
  const { format, request, body } = call;
  const features = format.features(request);
  if (call.asWritten && format.name === 'chat') checkOutputCap(model, request);
  checkTextCall(model, features, tools.limits);
  const addresses = format.addresses(request);
  const { principal, asWritten: batch = false } = call;
  const bytes = body.bytes.length + (body.inline === undefined ? 0 : inlineBytes(body.inline));
  const priced = { format, request, principal, model, bytes, at: tools.clock.now(), batch };
  checkAskedPrices(priced, tools.providers);
  const size = { features, bytes, counts: countFor(principal, call.reply) };
  const counting = checkContext(model, size, () => promptTexts(call), tools);
  return { model, features, addresses, bytes, counting };
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
  call: Pick<RunningText<Request>, 'format' | 'context' | 'reading'>,
  text: TextProvider,
  body: Buffer,
): WholeAnswer | null {
  const { format, context, reading } = call;
  if (relays(text, call)) return format.relayAnswer(body, context);
  const result = text.readAnswer(body, reading);
  return result === null ? null : translateAnswer(result, format, context);
}

function wholeText<Request>(call: RunningText<Request>, tools: CallTools): Promise<void> {
  const { facts, lease, reply, cancellation, images, size, keep, asWritten, conversation, fallback } = call;
  const whole: WholeCall<TextProvider> = {
    facts,
    lease,
    reply,
    cancellation,
    images,
    size,
    keep,
    asWritten,
    conversation,
    prepare: preparePriced(call),
    promptTexts: () => promptTexts(call),
    read: (opened, body) => readText(call, opened.api, body.whole()),
  };
  return runWhole(fallback === undefined ? whole : { ...whole, fallback }, tools);
}
