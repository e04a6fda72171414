/** The chat completions endpoint. */
import type { Principal } from '../../access/principal.ts';
import type { CallTools } from '../../calls/call-tools.ts';
import { runText } from '../../calls/run-text.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { JsonObject } from '../../kernel/json/parse-json.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import { answerRepeatable, readRepeatable, type WrapReply } from '../answer-once.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import type { Exchange } from '../exchange.ts';
import { HttpCallReply } from '../http-call-reply.ts';
import { readJsonBody } from '../read-body.ts';
import type { TextRouteOptions } from '../text-route.ts';
import { failureIn } from '../write-failure.ts';

const shape = new Shape(ChatRequest);

export function chatRoute(tools: CallTools, options: TextRouteOptions): HttpRoute {
  const route = { tools, options };
  return keyedRoute('createChatCompletion', endpoints.createChatCompletion, async (exchange, principal) => {
    const repeatable = readRepeatable(exchange.request, 'chat');
    const body = await readJsonBody(exchange, options.body, repeatable?.digest);
    if (repeatable === null) await run(route, exchange, principal, body, null);
    else {
      const streamed = body.value.stream === true;
      const once = { exchange, principal, repeatable, streamed, writeFailure: failureIn(chatFormat, body) };
      await answerRepeatable(once, (wrap) => run(route, exchange, principal, body, wrap), options.once);
    }
  });
}

interface ChatRoute {
  readonly tools: CallTools;
  readonly options: TextRouteOptions;
}

async function run(
  { tools, options }: ChatRoute,
  exchange: Exchange,
  principal: Principal,
  body: JsonObject,
  wrap: WrapReply | null,
): Promise<void> {
  const request = shape.check(body.value);
  exchange.model = request.model;
  const { id, startedAt, startedMs, trace } = exchange;
  const lease = leaseOf(exchange);
  const streams = request.stream === true;
  if (streams) exchange.onOver(options.openStreams.enter(principal));
  const http = new HttpCallReply(exchange, { streams, keepAlive: options.keepAlive, clock: tools.clock });
  const reply = wrap === null ? http : wrap(http);
  const call = {
    id,
    principal,
    lease,
    format: chatFormat,
    body,
    request,
    reply,
    startedAt,
    startedMs,
    trace,
  };
  const { headers } = exchange.request;
  await runText({ ...call, headers, beta: null, keep: null }, tools);
}
