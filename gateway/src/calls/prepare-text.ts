/** Makes the body for a route: the caller's own, or a translation of it. */
import { fitCall, takesInChat } from '../catalog/fit-call.ts';
import { thinkingOf } from '../catalog/fit-reasoning.ts';
import type { UpstreamRoute } from '../catalog/model.ts';
import { unknownTraits } from '../catalog/model-traits.ts';
import type { JsonObject } from '../json/parse-json.ts';
import { bytesOf, putInline } from '../json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../memory/byte-budget.ts';
import type { Provider, TextProvider, TextSend, TextTarget } from '../providers/provider.ts';
import { expandForTranslation } from '../text/carried-text.ts';
import { rejectField } from '../text/reject-field.ts';
import { replaceMedia } from '../text/replace-media.ts';
import { CannotCarry, type TextCall } from '../text/text-call.ts';
import type { TextFormatName } from '../text/text-format.ts';
import { withUsualTypes } from '../text/usual-types.ts';
import { withCallerNames } from './caller-names.ts';
import { sentCap, withCap, withCapEdit } from './cap-output.ts';
import { relayEdits } from './fit-relay.ts';
import { type PlacedReferences, placeInBody } from './references/place-references.ts';
import { prepareWithReferences } from './references/prepare-with-references.ts';
import type { RunningText } from './text-request.ts';
import type { PreparedRequest } from './upstream-request.ts';

/** The parts of a call that its body depends on. */
export interface TextToWrite<Request>
  extends Pick<
    RunningText<Request>,
    'format' | 'body' | 'request' | 'asWritten' | 'toolMedia' | 'images' | 'outputCap'
  > {
  readonly facts: Pick<RunningText<Request>['facts'], 'model'>;
  /** Counts the memory of a translation; absent for batches that a provider runs. */
  readonly lease?: ByteLease;
}

/** A translated text is held three times: expanded, in the JSON of the other dialect, and as bytes. */
const TRANSLATED_TIMES = 3;

export interface TextWriter {
  /** The dialect in which a provider gets the call. */
  dialect(route: UpstreamRoute, provider: Provider): TextProvider;
  /** The body for a route, or a Problem if the route cannot serve the call. */
  write(
    route: UpstreamRoute,
    text: TextProvider,
    placed?: PlacedReferences | undefined,
  ): TextSend['body'] | Problem;
}

/** A Problem if the route cannot serve the call. */
export type PrepareText = (
  route: UpstreamRoute,
  provider: Provider,
) => PreparedRequest<TextProvider> | Problem;

export function prepareText<Request>(call: RunningText<Request>): PrepareText {
  const writer = textWriter(call);
  const { references, lease, cancellation, streams, beta } = call;
  return (route, provider) => {
    const text = writer.dialect(route, provider);
    const api = apiOf(text, call);
    if (references?.concern(text)) {
      const sent = { upstreamModel: route.upstreamModel, stream: streams, beta };
      const target = { provider, text: api, sent, lease, cancellation };
      return prepareWithReferences(references, target, (placed) => writer.write(route, text, placed));
    }
    const body = writer.write(route, text);
    if (body instanceof Problem) return body;
    const request = { upstreamModel: route.upstreamModel, stream: streams, beta, body };
    return { api, send: (handler) => text.send(request, handler) };
  };
}

export function textWriter<Request>(call: TextToWrite<Request>): TextWriter {
  // Each is made once, even if several routes need it.
  let neutral: TextCall | null = null;
  let relayed: JsonObject | null = null;
  const read = (): TextCall => {
    neutral ??= call.format.readCall(readable(call));
    return neutral;
  };
  return {
    dialect(route, provider) {
      const usual = dialectOf(call, route, provider);
      if (!call.toolMedia || usual.format !== 'chat') return usual;
      const holder = holderOf(provider, call);
      if (holder === null) return usual;
      const carried = carries(() =>
        translatedBody(call, holder, { route, neutral: read(), placed: undefined }),
      );
      return carried ? holder : usual;
    },
    write(route, text, placed) {
      try {
        if (relays(text, call)) {
          relayed ??= call.images === 0 ? call.body : usualBody(call);
          return relayBody(call, relayed, { text, route, placed });
        }
        return translatedBody(call, text, { route, neutral: read(), placed });
      } catch (error) {
        if (error instanceof Problem) return error;
        if (error instanceof CannotCarry) return refusal(error, call);
        throw error;
      }
    },
  };
}

/**
 * Of OpenAI's two protocols only the newer one holds images and files in tool results. Null if the provider does not
 * speak it, or does not offer the model in it.
 */
function holderOf<Request>(
  provider: Provider,
  { facts }: Pick<TextToWrite<Request>, 'facts'>,
): TextProvider | null {
  if (!facts.model.endpoints.has('responses')) return null;
  return provider.texts.find(({ format }) => format === 'responses') ?? null;
}

function carries(write: () => unknown): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (error instanceof CannotCarry || error instanceof Problem) return false;
    throw error;
  }
}

/** True if the provider speaks the caller's format, so that nothing is translated. */
export function relays(text: TextProvider, call: { readonly format: { name: TextFormatName } }): boolean {
  return text.format === call.format.name;
}

/** A provider that gets a translated body names fields that the caller did not send. */
function apiOf<Request>(text: TextProvider, call: TextToWrite<Request>): TextProvider {
  return relays(text, call) ? text : withCallerNames(text, call.format.fieldNames);
}

/** A line of a batch is written as it is. */
function dialectOf<Request>(
  call: TextToWrite<Request>,
  { takes = unknownTraits }: UpstreamRoute,
  provider: Provider,
): TextProvider {
  const { format, request, asWritten } = call;
  if (takes.chat === 'always' || asWritten) return dialectFor(provider, format.name);
  const all = provider.texts;
  const others = all.filter((dialect) => dialect.format !== 'chat');
  const leaves = others.length > 0 && !takesInChat(format.features(request), takes);
  return dialectFor({ name: provider.name, texts: leaves ? others : all }, format.name);
}

/** The dialect of a provider in which calls of a format are written. */
export function dialectFor(provider: Pick<Provider, 'name' | 'texts'>, format: TextFormatName): TextProvider {
  const text = provider.texts.find((dialect) => dialect.format === format) ?? provider.texts[0];
  if (text === undefined) throw new Error(`the provider ${provider.name} has no text dialect`);
  return text;
}

/** The caller's body; a type of an image may be changed to the one that providers know. */
function usualBody<Request>({ format, request, body }: TextToWrite<Request>): JsonObject {
  return withUsualTypes(body, format.mediaTypes(request));
}

function relayBody<Request>(
  call: TextToWrite<Request>,
  body: JsonObject,
  { text, route, placed }: { text: TextProvider; route: UpstreamRoute; placed: PlacedReferences | undefined },
): TextSend['body'] {
  const { asksUsage } = text.relay;
  const { takes = unknownTraits } = route;
  const { format, asWritten, facts } = call;
  const field = facts.model.outputCapField ?? text.relay.outputCapField;
  const cap = sentCap(call.outputCap, facts.model);
  const fitted = takes.known && !asWritten ? relayEdits(format.name, call.request, takes) : undefined;
  const edits = cap === null ? fitted : withCapEdit(fitted, cap, { format: format.name, field });
  const target = {
    upstreamModel: route.upstreamModel,
    asksUsage,
    thinks: thinkingOf(takes),
    outputCapField: asWritten ? null : field,
    ...(edits !== undefined && { edits }),
  };
  if (placed === undefined) return putInline(format.relayRequest(body, target), body.inline);
  return putInline(format.relayRequest(placeInBody(body, placed), target), placed.inline);
}

function translatedBody<Request>(
  call: TextToWrite<Request>,
  text: TextProvider,
  made: { route: UpstreamRoute; neutral: TextCall; placed: PlacedReferences | undefined },
): TextSend['body'] {
  const { neutral, placed, route } = made;
  checkTier(neutral, text);
  const said = placed === undefined ? neutral : replaceMedia(neutral, placed.sources);
  const target = targetOf(call, route);
  const capped = withCap(said, sentCap(call.outputCap, call.facts.model));
  const body = Buffer.from(JSON.stringify(text.writeRequest(fitCall(capped, target.takes), target)));
  return putInline(body, placed?.inline ?? call.body.inline);
}

function checkTier({ serviceTier = null }: TextCall, { takesTier }: TextProvider): void {
  if (serviceTier === null || takesTier?.(serviceTier)) return;
  throw new CannotCarry('serviceTier', JSON.stringify(serviceTier.slice(0, 40)));
}

function targetOf<Request>({ facts }: Pick<TextToWrite<Request>, 'facts'>, route: UpstreamRoute): TextTarget {
  const { outputTokensMax, outputCapField, capabilities } = facts.model;
  return {
    upstreamModel: route.upstreamModel,
    outputTokensMax,
    outputCapField,
    takes: route.takes ?? unknownTraits,
    makesImages: capabilities.has('image_output'),
    structured: capabilities.has('json_schema'),
  };
}

/** Expands the long texts that the translator reads; message texts and media stay outside. */
function readable<Request>({ request, body, lease }: TextToWrite<Request>): Request {
  if (body.inline === undefined) return request;
  const made = expandForTranslation(request as object, body.inline);
  lease?.add(bytesOf(body.inline, made.expanded) * TRANSLATED_TIMES);
  return made.request as Request;
}

function refusal<Request>({ field, limit, at }: CannotCarry, call: TextToWrite<Request>): Problem {
  const { format, facts } = call;
  return (format.refuse ?? rejectField)(at ?? format.fieldNames[field], limit, facts.model.code);
}
