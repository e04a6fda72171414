/** The caller's body for a provider of the same format, with only the necessary changes. */
import { removeFields, replaceFields } from '../../../json/edit-fields.ts';
import type { JsonObject } from '../../../json/parse-json.ts';
import type { RelayTarget } from '../../text-format.ts';

export function relayMessagesRequest(
  body: JsonObject,
  { upstreamModel, edits }: Pick<RelayTarget, 'upstreamModel' | 'edits'>,
): Buffer {
  const changes: Record<string, string> = { ...edits?.changes };
  if (body.value.model !== upstreamModel) changes.model = JSON.stringify(upstreamModel);
  const removed = edits?.removed ?? [];
  const whole = removed.length === 0 ? body : removeFields(body, removed);
  return Object.keys(changes).length === 0 ? whole.bytes : replaceFields(whole, changes);
}
