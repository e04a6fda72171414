/** Makes the body that a route is sent: the caller's own, or a translation of it. */
import type { Route } from '../catalog/model.ts';
import { Problem } from '../kernel/problem.ts';
import type { Provider, TextProvider, TextSend } from '../providers/provider.ts';
import { CannotCarry, type TextCall } from '../text/text-call.ts';
import type { Prepared } from './call-upstream.ts';
import type { RunningText } from './text-request.ts';

export function prepareText<Request>(
  call: RunningText<Request>,
): (route: Route, provider: Provider) => Prepared<TextProvider> | Problem {
  // Read once, however many routes have to be translated for.
  let neutral: TextCall | null = null;
  return (route, provider) => {
    const text = dialectFor(provider, call);
    try {
      const { upstreamModel } = route;
      const send = { upstreamModel, stream: call.streams, beta: call.beta };
      if (relays(text, call)) return asked(text, { ...send, body: relayBody(call, text, route) });
      neutral ??= call.format.readCall(call.request);
      return asked(text, { ...send, body: translatedBody(call, text, { route, neutral }) });
    } catch (error) {
      if (error instanceof Problem) return error;
      if (error instanceof CannotCarry) return refusal(error, call);
      throw error;
    }
  };
}

function asked(text: TextProvider, request: TextSend): Prepared<TextProvider> {
  return { api: text, send: (handler) => text.send(request, handler) };
}

/** Whether the provider's own words are the caller's: then nothing is read or written anew. */
export function relays<Request>(text: TextProvider, call: RunningText<Request>): boolean {
  return text.format === call.format.name;
}

function dialectFor<Request>(provider: Provider, call: RunningText<Request>): TextProvider {
  const text = provider.texts.find(({ format }) => format === call.format.name) ?? provider.texts[0];
  if (text === undefined) throw new Error(`the provider ${provider.name} speaks no text dialect`);
  return text;
}

function relayBody<Request>(call: RunningText<Request>, text: TextProvider, route: Route): Buffer {
  const { asksUsage, outputCapField } = text.relay;
  return call.format.relayRequest(call.body, {
    upstreamModel: route.upstreamModel,
    asksUsage,
    outputCapField: call.facts.model.outputCapField ?? outputCapField,
  });
}

function translatedBody<Request>(
  call: RunningText<Request>,
  text: TextProvider,
  made: { route: Route; neutral: TextCall },
): Buffer {
  const { outputTokensMax, outputCapField, capabilities } = call.facts.model;
  const target = {
    upstreamModel: made.route.upstreamModel,
    outputTokensMax,
    outputCapField,
    makesImages: capabilities.has('image_output'),
  };
  return Buffer.from(JSON.stringify(text.writeRequest(made.neutral, target)));
}

function refusal<Request>(error: CannotCarry, call: RunningText<Request>): Problem {
  const param = call.format.fieldNames[error.field];
  const limit = error.limit === '' ? '' : ` ${error.limit}`;
  return new Problem('invalid_parameter', {
    detail: `The model ${call.facts.model.code} does not take ${param}${limit}.`,
    param: param.replace(/ \(.*/, ''),
  });
}
