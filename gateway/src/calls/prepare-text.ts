/** Makes the body for a route: the caller's own, or a translation of it. */
import type { UpstreamRoute } from '../catalog/model.ts';
import { bytesOf, putInline } from '../kernel/json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import type { Provider, TextProvider, TextSend } from '../providers/provider.ts';
import { expandForTranslation } from '../text/carried-text.ts';
import { rejectField } from '../text/reject-field.ts';
import { replaceMedia } from '../text/replace-media.ts';
import { CannotCarry, type TextCall } from '../text/text-call.ts';
import type { TextFormatName } from '../text/text-format.ts';
import { type PlacedReferences, placeInBody } from './references/place-references.ts';
import { prepareWithReferences } from './references/prepare-with-references.ts';
import type { RunningText } from './text-request.ts';
import type { PreparedRequest } from './upstream-request.ts';

/** The parts of a call that its body depends on. */
export interface TextToWrite<Request>
  extends Pick<RunningText<Request>, 'format' | 'body' | 'request' | 'asWritten'> {
  readonly facts: Pick<RunningText<Request>['facts'], 'model'>;
  /** Counts the memory of a translation; absent for batches that a provider runs. */
  readonly lease?: ByteLease;
}

/** A translated text is held three times: expanded, in the JSON of the other dialect, and as bytes. */
const TRANSLATED_TIMES = 3;

export type WriteText = (
  route: UpstreamRoute,
  provider: Provider,
  placed?: PlacedReferences,
) => { text: TextProvider; body: TextSend['body'] } | Problem;

/** A Problem if the route cannot serve the call. */
export type PrepareText = (
  route: UpstreamRoute,
  provider: Provider,
) => PreparedRequest<TextProvider> | Problem;

export function prepareText<Request>(call: RunningText<Request>): PrepareText {
  const write = textWriter(call);
  const { references, lease } = call;
  if (references?.any) {
    return (route, provider) => {
      const text = dialectFor(provider, call.format.name);
      const sent = { upstreamModel: route.upstreamModel, stream: call.streams, beta: call.beta };
      return prepareWithReferences(references, { provider, text, sent, lease }, (placed) => {
        const written = write(route, provider, placed);
        return written instanceof Problem ? written : written.body;
      });
    };
  }
  return (route, provider) => {
    const written = write(route, provider);
    if (written instanceof Problem) return written;
    const { text, body } = written;
    const request = { upstreamModel: route.upstreamModel, stream: call.streams, beta: call.beta, body };
    return { api: text, send: (handler) => text.send(request, handler) };
  };
}

/** Returns the body for a route and its dialect, or a Problem if the route cannot serve the call. */
export function textWriter<Request>(call: TextToWrite<Request>): WriteText {
  // Read once, even if several routes need a translation.
  let neutral: TextCall | null = null;
  return (route, provider, placed) => {
    const text = dialectFor(provider, call.format.name);
    try {
      if (relays(text, call)) return { text, body: relayBody(call, { text, route, placed }) };
      neutral ??= call.format.readCall(readable(call));
      return { text, body: translatedBody(call, text, { route, neutral, placed }) };
    } catch (error) {
      if (error instanceof Problem) return error;
      if (error instanceof CannotCarry) return refusal(error, call);
      throw error;
    }
  };
}

/** True if the provider speaks the caller's format, so that nothing is translated. */
export function relays(text: TextProvider, call: { readonly format: { name: TextFormatName } }): boolean {
  return text.format === call.format.name;
}

/** The dialect of a provider in which calls of a format are written. */
export function dialectFor(provider: Provider, format: TextFormatName): TextProvider {
  const text = provider.texts.find((dialect) => dialect.format === format) ?? provider.texts[0];
  if (text === undefined) throw new Error(`the provider ${provider.name} has no text dialect`);
  return text;
}

function relayBody<Request>(
  call: TextToWrite<Request>,
  { text, route, placed }: { text: TextProvider; route: UpstreamRoute; placed: PlacedReferences | undefined },
): TextSend['body'] {
  const { asksUsage, outputCapField } = text.relay;
  const target = {
    upstreamModel: route.upstreamModel,
    asksUsage,
    outputCapField: call.asWritten ? null : (call.facts.model.outputCapField ?? outputCapField),
  };
  if (placed === undefined) return putInline(call.format.relayRequest(call.body, target), call.body.inline);
  return putInline(call.format.relayRequest(placeInBody(call.body, placed), target), placed.inline);
}

function translatedBody<Request>(
  call: TextToWrite<Request>,
  text: TextProvider,
  made: { route: UpstreamRoute; neutral: TextCall; placed: PlacedReferences | undefined },
): TextSend['body'] {
  const { outputTokensMax, outputCapField, capabilities } = call.facts.model;
  const target = {
    upstreamModel: made.route.upstreamModel,
    outputTokensMax,
    outputCapField,
    makesImages: capabilities.has('image_output'),
  };
  const { neutral, placed } = made;
  const said = placed === undefined ? neutral : replaceMedia(neutral, placed.sources);
  const body = Buffer.from(JSON.stringify(text.writeRequest(said, target)));
  return putInline(body, placed?.inline ?? call.body.inline);
}

/** Expands the long texts that the translator reads; message texts and media stay outside. */
function readable<Request>({ request, body, lease }: TextToWrite<Request>): Request {
  if (body.inline === undefined) return request;
  const made = expandForTranslation(request as object, body.inline);
  lease?.add(bytesOf(body.inline, made.expanded) * TRANSLATED_TIMES);
  return made.request as Request;
}

function refusal<Request>({ field, limit }: CannotCarry, call: TextToWrite<Request>): Problem {
  const { format, facts } = call;
  return (format.refuse ?? rejectField)(format.fieldNames[field], limit, facts.model.code);
}
