/** The responses endpoint: kept items are put into the request before, and the answer is kept after. */
import type { Principal } from '../../access/principal.ts';
import type { CallTools } from '../../calls/call-tools.ts';
import type { KeepOutput } from '../../calls/keep-output.ts';
import { runText } from '../../calls/run-text.ts';
import { checkResponsesRequest } from '../../contract/check-responses.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { JsonObject } from '../../kernel/json/parse-json.ts';
import { expandInline } from '../../kernel/json/placeholders.ts';
import type { KeptResponses } from '../../responses/kept-responses.ts';
import { resolveInput } from '../../responses/resolve-input.ts';
import { answerId } from '../../text/answer-ids.ts';
import { responsesFormat } from '../../text/formats/responses/responses.ts';
import { answerRepeatable, readRepeatable, type WrapReply } from '../answer-once.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import { readJsonBody } from '../read-body.ts';
import type { TextRouteOptions } from '../text-route.ts';
import { failureIn } from '../write-failure.ts';

export interface ResponsesRouteOptions extends TextRouteOptions {
  readonly kept: KeptResponses;
}

export function responsesRoute(tools: CallTools, options: ResponsesRouteOptions): HttpRoute {
  const route = { tools, options };
  return keyedRoute('createResponse', endpoints.createResponse, async (exchange, principal) => {
    const repeatable = readRepeatable(exchange.request, 'responses');
    const sent = await readJsonBody(exchange, options.body, repeatable?.digest);
    if (repeatable === null) await run(route, exchange, principal, sent, null);
    else {
      const streamed = sent.value.stream === true;
      const once = {
        exchange,
        principal,
        repeatable,
        streamed,
        writeFailure: failureIn(responsesFormat, sent),
      };
      await answerRepeatable(once, (wrap) => run(route, exchange, principal, sent, wrap), options.once);
    }
  });
}

interface ResponsesRoute {
  readonly tools: CallTools;
  readonly options: ResponsesRouteOptions;
}

async function run(
  { tools, options }: ResponsesRoute,
  exchange: Exchange,
  principal: Principal,
  sent: JsonObject,
  wrap: WrapReply | null,
): Promise<void> {
  const { kept } = options;
  const checked = checkResponsesRequest(sent.value);
  const resolved = await resolveInput({ principal, request: checked, body: sent }, kept, options.body);
  const { request, body, own } = resolved;
  exchange.model = request.model;
  const { id, startedAt, startedMs, trace } = exchange;
  const lease = leaseOf(exchange);
  const streams = request.stream === true;
  if (streams) exchange.onOver(options.openStreams.enter(principal));
  const http = new HttpCallReply(exchange, { streams, keepAlive: options.keepAlive, clock: tools.clock });
  const reply = wrap === null ? http : wrap(http);
  const previousId = request.previous_response_id ?? null;
  const keep: KeepOutput = async ({ output, head }) =>
    // If the space keeps no responses, the answer says so: its `store` is false.
    principal.keepsResponses &&
    (await kept.keep(principal, {
      ...{ id: answerId('resp', id), previousId, input: whole(own, sent), output },
      head: whole(head, sent),
    }));
  await runText(
    {
      ...{
        id,
        principal,
        lease,
        format: responsesFormat,
        body,
        request,
        reply,
        startedAt,
        startedMs,
        trace,
      },
      headers: exchange.request.headers,
      beta: null,
      keep: request.store === false ? null : keep,
    },
    tools,
  );
}

/** Includes the long texts and images that are kept outside of a large body. */
function whole<Value>(value: Value, { inline }: JsonObject): Value {
  return inline === undefined ? value : expandInline(value, inline, 'all');
}
