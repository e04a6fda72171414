/** The caller's body for a provider of the same format; only the model name changes. */
import { replaceFields } from '../../../kernel/json/edit-fields.ts';
import type { JsonObject } from '../../../kernel/json/parse-json.ts';
import type { RelayTarget } from '../../text-format.ts';

export function relayMessagesRequest(body: JsonObject, target: Pick<RelayTarget, 'upstreamModel'>): Buffer {
  const { upstreamModel } = target;
  if (body.value.model === upstreamModel) return body.bytes;
  return replaceFields(body, { model: JSON.stringify(upstreamModel) });
}
