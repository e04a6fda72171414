/** The caller's body for a provider of the same format, with only the necessary changes. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { removeFields, replaceFields } from '../../../json/edit-fields.ts';
import type { JsonObject } from '../../../json/parse-json.ts';
import type { RelayTarget } from '../../text-format.ts';
import { hasToolMedia, moveChatMedia } from './tool-media.ts';

export function relayChatRequest(body: JsonObject, target: RelayTarget): Buffer {
  const request = body.value as ChatRequest;
  const { upstreamModel, outputCapField } = target;
  const changes: Record<string, string> = { ...target.edits?.changes };
  const removed: string[] = [...(target.edits?.removed ?? [])];
  if (request.model !== upstreamModel) changes.model = JSON.stringify(upstreamModel);
  // Always ask for the usage of a stream. Whether the caller gets it is decided with the answer.
  if (request.stream === true && request.stream_options?.include_usage !== true && target.asksUsage) {
    changes.stream_options = JSON.stringify({ ...request.stream_options, include_usage: true });
  }
  // Nothing is stored at the provider, whose account all spaces share; `metadata` is only for what is stored.
  if ((request as { store?: unknown }).store === true) {
    changes.store = 'false';
    if (body.fields.has('metadata')) removed.push('metadata');
  }
  if (!target.asksUsage && body.fields.has('stream_options')) removed.push('stream_options');
  // Callers may set the cap in either field; the model reads only one.
  const cap = request.max_completion_tokens ?? request.max_tokens ?? null;
  const other = outputCapField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (outputCapField !== null && cap !== null && body.fields.has(other)) {
    changes[outputCapField] = String(cap);
    removed.push(other);
  }
  if (hasToolMedia(request)) changes.messages = JSON.stringify(moveChatMedia(request.messages));
  const whole = removed.length === 0 ? body : removeFields(body, removed);
  return Object.keys(changes).length === 0 ? whole.bytes : replaceFields(whole, changes);
}
