/** The responses endpoint: kept items are put into the request before, and the answer is kept after. */
import type { Principal } from '../../access/principal.ts';
import type { KeepOutput } from '../../calls/keep-output.ts';
import { checkResponsesRequest } from '../../contract/check-responses.ts';
import type { ResponsesRequest } from '../../contract/responses.ts';
import { replaceFields } from '../../json/edit-fields.ts';
import { type JsonObject, locateFields } from '../../json/parse-json.ts';
import { expandInline } from '../../json/placeholders.ts';
import type { KeptResponses } from '../../responses/kept-responses.ts';
import { type ResolvedRequest, resolveInput } from '../../responses/resolve-input.ts';
import { answerId } from '../../text/answer-ids.ts';
import { responsesFormat } from '../../text/formats/responses/responses.ts';
import {
  answerBackground,
  type BackgroundOptions,
  type CheckedBackground,
  checkKeepsResponses,
} from '../answer-background.ts';
import type { HttpRoute } from '../define-route.ts';
import type { JsonRouteOptions } from '../json-route.ts';
import { type TextRoute, textRoute } from '../text-route.ts';

export interface ResponsesRouteOptions extends JsonRouteOptions {
  readonly kept: KeptResponses;
  readonly background: Omit<BackgroundOptions, 'check'>;
}

export function responsesRoute(options: ResponsesRouteOptions): HttpRoute {
  const { kept, body: limits } = options;
  const resolve = async (sent: JsonObject, principal: Principal): Promise<ResolvedRequest> =>
    await resolveInput({ principal, request: checkResponsesRequest(sent.value), body: sent }, kept, limits);
  const background: BackgroundOptions = {
    ...options.background,
    async check(sent, principal) {
      const resolved = await resolve(sent, principal);
      checkKeepsResponses(principal);
      return inBackground(resolved, sent, options.background.streams(resolved.request.model, principal));
    },
  };
  const route: TextRoute<ResponsesRequest> = {
    format: responsesFormat,
    async check(sent, { exchange, principal }) {
      const { request, body, own } = await resolve(sent, principal);
      const answer = { id: answerId('resp', exchange.id), previousId: request.previous_response_id ?? null };
      const keep = keepIn(kept, principal, { ...answer, input: own }, sent);
      return { request, body, keep: request.store === false ? null : keep };
    },
    background: (sent, asked) =>
      sent.value.background === true ? answerBackground({ ...asked, sent }, background) : null,
  };
  return textRoute('createResponse', route, options);
}

/** The same call as a stream, if the model can. */
function inBackground(
  { request, body, own }: ResolvedRequest,
  sent: JsonObject,
  streams: boolean,
): CheckedBackground {
  const turn = {
    previousId: request.previous_response_id ?? null,
    input: whole(own, sent),
    expand: <Value>(value: Value): Value => whole(value, sent),
  };
  if (!streams || request.stream === true) return { ...turn, request, body };
  const bytes = replaceFields(body, { stream: 'true' });
  const value = { ...body.value, stream: true };
  const streamed = { ...body, value, bytes, fields: locateFields(bytes) };
  return { ...turn, request: { ...request, stream: true }, body: streamed };
}

function keepIn(
  kept: KeptResponses,
  principal: Principal,
  turn: Pick<Parameters<KeptResponses['keep']>[1], 'id' | 'previousId' | 'input'>,
  sent: JsonObject,
): KeepOutput {
  return async ({ output, head }) =>
    // If the space keeps no responses, the answer says so: its `store` is false.
    principal.keepsResponses &&
    (await kept.keep(principal, {
      ...turn,
      input: whole(turn.input, sent),
      output,
      head: whole(head, sent),
    }));
}

/** Includes the long texts and images that are kept outside of a large body. */
function whole<Value>(value: Value, { inline }: JsonObject): Value {
  return inline === undefined ? value : expandInline(value, inline, 'all');
}
