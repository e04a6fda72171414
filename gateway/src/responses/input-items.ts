/** The input of a kept response as a list: every item has an id, and messages have their full form. Pure. */
import { callIdOf, partId } from '../text/answer-ids.ts';
import type { Item } from './read-turn.ts';

export type ListedItem = Item & { readonly id: string; readonly type: string };

/** Items with a status in the API. */
const WITH_STATUS = new Set(['message', 'function_call', 'function_call_output']);

/**
 * An item without an id, or with the id of an earlier one, gets an id by its position, so that it can be a cursor. These
 * ids are only for lists: an `item_reference` names items of an output.
 */
export function listedItems(responseId: string, input: readonly Item[]): ListedItem[] {
  const callId = callIdOf(responseId);
  const seen = new Set<string>();
  return input.map((item, index) => {
    const own = typeof item.id === 'string' && !seen.has(item.id) ? item.id : null;
    const id = own ?? partId('in', callId, index);
    seen.add(id);
    return listedItem(item, id);
  });
}

function listedItem(item: Item, id: string): ListedItem {
  const type = typeof item.type === 'string' ? item.type : 'message';
  const shown = { ...item, id, type };
  const withStatus = WITH_STATUS.has(type) ? { status: 'completed', ...shown } : shown;
  return type === 'message' ? { ...withStatus, content: contentParts(item) } : withStatus;
}

/** A plain text is one part: what the model wrote is output, anything else is input. */
function contentParts({ role, content }: Item): unknown {
  if (typeof content !== 'string') return content;
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }];
}
