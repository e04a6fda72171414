/** The chat completions endpoint. */
import type { CallTools } from '../../calls/call-tools.ts';
import { ChatRequest } from '../../contract/chat.ts';
import { Shape } from '../../contract/check-shape.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import { answerText, type TextRoute, type TextRouteOptions } from '../text-route.ts';

const shape = new Shape(ChatRequest);

export function chatRoute(tools: CallTools, options: TextRouteOptions): HttpRoute {
  const route: TextRoute<ChatRequest> = {
    ...{ format: chatFormat, tools, options },
    check: (body) => ({ request: shape.check(body.value), body, beta: null, keep: null }),
  };
  return keyedRoute('createChatCompletion', endpoints.createChatCompletion, (exchange, principal) =>
    answerText(route, exchange, principal),
  );
}
