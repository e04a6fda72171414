/** The chat completions endpoint. */
import type { CallTools } from '../../calls/call-tools.ts';
import { runText } from '../../calls/run-text.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import { type HttpRoute, keyedRoute, leaseOf } from '../define-route.ts';
import { HttpCallReply, type TextRouteOptions } from '../http-call-reply.ts';
import { readJsonBody } from '../read-body.ts';

const shape = new Shape(ChatRequest);

export function chatRoute(tools: CallTools, options: TextRouteOptions): HttpRoute {
  return keyedRoute('createChatCompletion', endpoints.createChatCompletion, async (exchange, principal) => {
    const body = await readJsonBody(exchange, options.body);
    const request = shape.check(body.value);
    exchange.model = request.model;
    const { id, startedAt, startedMs, trace } = exchange;
    const lease = leaseOf(exchange);
    const streams = request.stream === true;
    if (streams) exchange.onOver(options.openStreams.enter(principal));
    const reply = new HttpCallReply(exchange, { streams, keepAlive: options.keepAlive, clock: tools.clock });
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
  });
}
