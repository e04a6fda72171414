/** The chat completions endpoint. */
import type { CallTools } from '../../calls/call-tools.ts';
import type { ChatRequest } from '../../contract/chat.ts';
import { checkChatRequest } from '../../contract/check-chat.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import { type HttpRoute, keyedRoute } from '../define-route.ts';
import { answerText, type TextRoute, type TextRouteOptions } from '../text-route.ts';

export function chatRoute(tools: CallTools, options: TextRouteOptions): HttpRoute {
  const route: TextRoute<ChatRequest> = {
    ...{ format: chatFormat, tools, options },
    check: (body) => ({ request: checkChatRequest(body.value), body, beta: null, keep: null }),
  };
  return keyedRoute('createChatCompletion', endpoints.createChatCompletion, (exchange, principal) =>
    answerText(route, exchange, principal),
  );
}
