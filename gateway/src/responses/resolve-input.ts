/** Replaces references to kept items in a request with the items. */
import type { Principal } from '../access/principal.ts';
import { isItemReference } from '../contract/kept-reference.ts';
import type { ResponsesRequest } from '../contract/responses.ts';
import { replaceFields } from '../json/edit-fields.ts';
import { type JsonObject, locateFields } from '../json/parse-json.ts';
import { inlineBytes } from '../json/placeholders.ts';
import { Problem } from '../kernel/problem.ts';
import type { KeptResponses } from './kept-responses.ts';
import type { Item } from './read-turn.ts';

export interface ResolvedRequest {
  readonly request: ResponsesRequest;
  readonly body: JsonObject;
  /** The items of this call, without the earlier conversation. */
  readonly own: readonly Item[];
}

export async function resolveInput(
  call: { principal: Principal; request: ResponsesRequest; body: JsonObject },
  kept: KeptResponses,
  limits: { readonly bytesMax: number },
): Promise<ResolvedRequest> {
  const { principal, request, body } = call;
  const { previous_response_id: previousId } = request;
  const sent = inputItems(request.input);
  const own = await withoutReferences(sent, principal, { kept, ...limits });
  if (own === sent && (previousId === null || previousId === undefined)) return { request, body, own };
  const earlier =
    previousId === null || previousId === undefined
      ? []
      : await kept.conversation(principal, previousId, limits.bytesMax);
  const input = [...earlier, ...own];
  const bytes = replaceFields(body, { input: JSON.stringify(input) });
  const inlineSize = body.inline === undefined ? 0 : inlineBytes(body.inline);
  if (bytes.length + inlineSize > limits.bytesMax) {
    throw new Problem('request_too_large', {
      detail: `The conversation with its kept items is larger than ${limits.bytesMax} bytes. Start a new conversation.`,
      param: 'previous_response_id',
    });
  }
  const value = { ...body.value, input };
  return {
    request: value as ResponsesRequest,
    body: { ...body, value, bytes, fields: locateFields(bytes) },
    own,
  };
}

export function inputItems(input: ResponsesRequest['input']): readonly Item[] {
  if (typeof input !== 'string') return input as readonly Item[];
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
}

async function withoutReferences(
  items: readonly Item[],
  principal: Principal,
  { kept, bytesMax }: { kept: KeptResponses; bytesMax: number },
): Promise<readonly Item[]> {
  const ids = items.flatMap((item) => (isItemReference(item) ? [String(item.id)] : []));
  if (ids.length === 0) return items;
  const found = await kept.items(principal, ids, bytesMax);
  return items.map((item, i) => {
    if (!isItemReference(item)) return item;
    const referred = found.get(String(item.id));
    if (referred !== undefined) return referred;
    throw new Problem('response_not_found', {
      detail: `The item ${JSON.stringify(String(item.id).slice(0, 100))} is not kept. Send the item itself.`,
      param: `input[${i}].id`,
    });
  });
}
