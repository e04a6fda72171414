import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { runText } from '../../gateway/run-text.ts';
import type { RunTextTools } from '../../gateway/text-request.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import { keyedRoute, type Route } from '../define-route.ts';
import { type BodyLimits, readJsonBody } from '../read-body.ts';
import type { StreamPulse } from '../stream-pulse.ts';
import { HttpTextReply } from '../text-reply.ts';

const shape = new Shape(ChatRequest);

export function chatRoute(tools: RunTextTools, options: { body: BodyLimits; pulse: StreamPulse }): Route {
  return keyedRoute('createChatCompletion', endpoints.createChatCompletion, async (exchange, principal) => {
    const body = await readJsonBody(exchange.request, options.body);
    const request = shape.check(body.value);
    const { id, startedAt, startedMs } = exchange;
    const streams = request.stream === true;
    const reply = new HttpTextReply(exchange, { streams, pulse: options.pulse, clock: tools.clock });
    const call = { id, principal, format: chatFormat, body, request, reply, startedAt, startedMs };
    await runText({ ...call, beta: null, keep: null }, tools);
  });
}
