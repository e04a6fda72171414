/** A kept response as the API shows it: the object of its answer. Pure. */
import { estimatedCost } from '../contract/cost.ts';
import { DAY_MS } from '../kernel/durations.ts';
import { unixSecondsOf } from '../kernel/time.ts';
import { RESPONSE_KEPT_DAYS } from './kept-responses.ts';
import type { RecordedCall, StoredResponse } from './open-response.store.ts';
import type { Item } from './read-turn.ts';

export function responseObject(stored: StoredResponse, output: readonly Item[]): Item {
  const head = stored.head === null ? olderHead(stored, output) : (JSON.parse(stored.head) as Item);
  // The last event of a response that failed or was cancelled has no usage; its record has.
  const usage = head.usage ?? (stored.state === null ? null : usageOf(stored));
  return { ...head, output, usage, estimated_cost: estimatedCost(stored.cost) };
}

/** What is known of a response that was kept without its head: null for the rest, where the format allows it. */
function olderHead(stored: StoredResponse, output: readonly Item[]): Item {
  const { id, previousId, expiresAt, startedAt, model } = stored;
  const cut = output.some(({ status }) => status === 'incomplete');
  return {
    id,
    object: 'response',
    created_at: unixSecondsOf(startedAt ?? expiresAt - RESPONSE_KEPT_DAYS * DAY_MS),
    status: cut ? 'incomplete' : 'completed',
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: model ?? 'unknown',
    parallel_tool_calls: true,
    presence_penalty: null,
    previous_response_id: previousId,
    prompt_cache_key: null,
    reasoning: null,
    safety_identifier: null,
    service_tier: null,
    store: true,
    temperature: null,
    text: null,
    tool_choice: 'auto',
    tools: [],
    top_logprobs: null,
    top_p: null,
    truncation: null,
    usage: usageOf(stored),
    user: null,
    metadata: null,
  };
}

function usageOf(call: RecordedCall): Item | null {
  const { inputTokens, outputTokens } = call;
  if (inputTokens === null || outputTokens === null) return null;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: call.cachedInputTokens ?? 0,
      cache_write_tokens: call.cacheWriteTokens ?? 0,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: call.reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
