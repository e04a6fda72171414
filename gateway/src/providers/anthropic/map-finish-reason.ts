/** Maps Anthropic's stop reasons. Pure. */
import { type Json, textOf } from '../../kernel/json/read-json.ts';
import type { Finish, FinishReason } from '../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  pause_turn: 'stop',
  stop_sequence: 'stop_sequence',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** `json` is a message, or the delta that ends a streamed message. */
export function mapAnthropicFinish(json: Json): Finish {
  const raw = textOf(json.stop_reason);
  const stopSequence = typeof json.stop_sequence === 'string' ? json.stop_sequence : null;
  return { reason: finishReasons[raw] ?? 'stop', stopSequence, raw };
}
