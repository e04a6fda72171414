/**
 * The caller's body for a provider of the same format, with only the necessary changes. Nothing is stored at
 * the provider, because all tenants share its account: the gateway stores responses itself, and reasoning is
 * sent encrypted.
 */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { removeFields, replaceFields } from '../../../json/edit-fields.ts';
import type { JsonObject } from '../../../json/parse-json.ts';
import { isObject, type Json, textOf } from '../../../json/read-json.ts';
import { isUnset } from '../../reject-field.ts';
import type { RelayTarget } from '../../text-format.ts';
import { asksProof, SEALED_REASONING } from './ask-proof.ts';
import { writtenFormat } from './read-call.ts';
import { isOwnSealed } from './sealed-proof.ts';

export function relayResponsesRequest(body: JsonObject, target: RelayTarget): Buffer {
  const request = body.value as ResponsesRequest;
  const { upstreamModel } = target;
  const changes: Record<string, string> = { ...target.edits?.changes };
  if (request.model !== upstreamModel) changes.model = JSON.stringify(upstreamModel);
  if (request.store !== false) changes.store = 'false';
  const include = request.include ?? [];
  const asks = asksProof(target.thinks, !isUnset(request.reasoning));
  if (asks && !include.includes(SEALED_REASONING)) {
    changes.include = JSON.stringify([...include, SEALED_REASONING]);
  }
  const own = ['previous_response_id', 'response_format'].filter((name) => body.fields.has(name));
  const removed = [...own, ...(target.edits?.removed ?? [])];
  // The gateway runs it in the background, not the provider.
  if (request.background === true) removed.push('background');
  if (!isUnset(request.response_format)) {
    changes.text = JSON.stringify({ ...request.text, format: writtenFormat(request) });
  }
  const input = statelessInput(request.input);
  if (input !== request.input) changes.input = JSON.stringify(input);
  const whole = removed.length === 0 ? body : removeFields(body, removed);
  return Object.keys(changes).length === 0 ? whole.bytes : replaceFields(whole, changes);
}

/**
 * A provider that stores nothing rejects ids of earlier items. So items are sent without ids, and reasoning
 * that it cannot decrypt is left out. Returns the same list if nothing changed.
 */
function statelessInput(input: ResponsesRequest['input']): unknown {
  if (typeof input === 'string') return input;
  const items = input as readonly unknown[];
  let changed = false;
  const stateless = items.flatMap((item): unknown[] => {
    if (!isObject(item)) return [item];
    const kept = statelessItem(item);
    if (kept !== item) changed = true;
    return kept === null ? [] : [kept];
  });
  return changed ? stateless : input;
}

function statelessItem(item: Json): Json | null {
  if (item.type === 'reasoning') {
    const sealed = textOf(item.encrypted_content);
    return sealed !== '' && isOwnSealed(sealed) ? item : null;
  }
  if (!('id' in item) || !contentTypes.has(textOf(item.type ?? 'message'))) return item;
  const { id: _, ...rest } = item;
  return rest;
}

/** Items that are complete without their id. */
const contentTypes = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);
