/** Makes the body that a route is sent: the caller's own, or a translation of it. */
import type { Route } from '../catalog/model.ts';
import { bytesOf, putInline } from '../kernel/json/inline-pieces.ts';
import { Problem } from '../kernel/problem.ts';
import type { ByteLease } from '../metering/byte-budget.ts';
import type { Provider, TextProvider, TextSend } from '../providers/provider.ts';
import { expandForTranslation } from '../text/carried-text.ts';
import { rejectField } from '../text/reject-field.ts';
import { replaceMedia } from '../text/replace-media.ts';
import { CannotCarry, type TextCall } from '../text/text-call.ts';
import type { TextFormatName } from '../text/text-format.ts';
import type { PlacedMedia } from './call-media.ts';
import type { Prepared } from './call-upstream.ts';
import { placeInBody } from './place-in-body.ts';
import { prepareWithMedia } from './prepare-with-media.ts';
import type { RunningText } from './text-request.ts';

/** What of a call its body depends on. */
export interface TextToWrite<Request>
  extends Pick<RunningText<Request>, 'format' | 'body' | 'request' | 'asWritten'> {
  readonly facts: Pick<RunningText<Request>['facts'], 'model'>;
  /** Where what is made of its texts is counted; batches that providers run have none. */
  readonly lease?: ByteLease;
}

/** A text in full, in the JSON of the other dialect, and its bytes. */
const TRANSLATED_TIMES = 3;

export type WriteText = (
  route: Route,
  provider: Provider,
  placed?: PlacedMedia,
) => { text: TextProvider; body: TextSend['body'] } | Problem;

export function prepareText<Request>(
  call: RunningText<Request>,
): (route: Route, provider: Provider) => Prepared<TextProvider> | Problem {
  const write = textWriter(call);
  const { media, lease } = call;
  if (media?.hasReferences) {
    return (route, provider) => {
      const text = dialectFor(provider, call.format.name);
      const sent = { upstreamModel: route.upstreamModel, stream: call.streams, beta: call.beta };
      return prepareWithMedia(media, { provider, text, sent, lease }, (placed) => {
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

/** Answers the body for a route and the dialect it is in; a Problem when the route cannot carry the call. */
export function textWriter<Request>(call: TextToWrite<Request>): WriteText {
  // Read once, however many routes have to be translated for.
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

/** Whether the provider's own words are the caller's: then nothing is read or written anew. */
export function relays(text: TextProvider, call: { readonly format: { name: TextFormatName } }): boolean {
  return text.format === call.format.name;
}

/** The one of a provider's dialects that calls of a format are written in. */
export function dialectFor(provider: Provider, format: TextFormatName): TextProvider {
  const text = provider.texts.find((dialect) => dialect.format === format) ?? provider.texts[0];
  if (text === undefined) throw new Error(`the provider ${provider.name} speaks no text dialect`);
  return text;
}

function relayBody<Request>(
  call: TextToWrite<Request>,
  { text, route, placed }: { text: TextProvider; route: Route; placed: PlacedMedia | undefined },
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
  made: { route: Route; neutral: TextCall; placed: PlacedMedia | undefined },
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
