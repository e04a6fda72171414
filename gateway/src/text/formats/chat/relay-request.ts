/** The caller's body for a provider of the same dialect: untouched but for what must differ. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { type JsonObject, replaceFields } from '../../../kernel/json.ts';

export function relayChatRequest(body: JsonObject, upstreamModel: string): Buffer {
  const request = body.value as ChatRequest;
  const changes: Record<string, string> = {};
  if (request.model !== upstreamModel) changes.model = JSON.stringify(upstreamModel);
  // A stream is always asked for its usage; whether the caller sees it is decided on the way back.
  if (request.stream === true && request.stream_options?.include_usage !== true) {
    changes.stream_options = JSON.stringify({ ...request.stream_options, include_usage: true });
  }
  return Object.keys(changes).length === 0 ? body.bytes : replaceFields(body, changes);
}
