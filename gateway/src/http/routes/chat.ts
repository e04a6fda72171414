import { runText } from '../../calls/run-text.ts';
import type { RunTextTools } from '../../calls/text-request.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import { keyedRoute, leaseOf, type Route } from '../define-route.ts';
import { readJsonBody } from '../read-body.ts';
import { HttpTextReply, type TextRouteOptions } from '../text-reply.ts';

const shape = new Shape(ChatRequest);

export function chatRoute(tools: RunTextTools, options: TextRouteOptions): Route {
  return keyedRoute('createChatCompletion', endpoints.createChatCompletion, async (exchange, principal) => {
    const body = await readJsonBody(exchange, options.body);
    const request = shape.check(body.value);
    const { id, startedAt, startedMs } = exchange;
    const lease = leaseOf(exchange);
    const streams = request.stream === true;
    if (streams) exchange.whenOver(options.openStreams.enter(principal));
    const reply = new HttpTextReply(exchange, { streams, pulse: options.pulse, clock: tools.clock });
    const call = { id, principal, lease, format: chatFormat, body, request, reply, startedAt, startedMs };
    await runText({ ...call, beta: null, keep: null }, tools);
  });
}
