/** The chat completions endpoint. */
import { checkChatRequest } from '../../contract/check-chat.ts';
import type { JsonObject } from '../../json/parse-json.ts';
import { chatFormat } from '../../text/formats/chat/chat.ts';
import type { HttpRoute } from '../define-route.ts';
import type { JsonRouteOptions } from '../json-route.ts';
import { textRoute } from '../text-route.ts';

export function chatRoute(options: JsonRouteOptions): HttpRoute {
  const check = (body: JsonObject) => ({ request: checkChatRequest(body.value), body, keep: null });
  return textRoute('createChatCompletion', { format: chatFormat, check }, options);
}
