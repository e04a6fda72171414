/** Maps Converse's stop reasons. Pure. */
import { type Json, objectOf, textOf } from '../../kernel/json/read-json.ts';
import type { Finish, FinishReason } from '../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  // What the model wrote is shown as it is.
  malformed_model_output: 'stop',
  malformed_tool_use: 'stop',
};

/** `end` is the whole answer, or the event that ends a stream. Calls that are not shown do not end an answer. */
export function mapBedrockFinish(end: Json, mayCallTools: boolean): Finish {
  const raw = textOf(end.stopReason);
  const reason = finishReasons[raw] ?? 'stop';
  return {
    reason: reason === 'tool_calls' && !mayCallTools ? 'stop' : reason,
    stopSequence: reason === 'stop_sequence' ? stoppedBy(end) : null,
    raw,
  };
}

/** Claude names the sequence if it is asked to (write-request.ts), in a stream one level deeper. */
function stoppedBy({ additionalModelResponseFields }: Json): string | null {
  const fields = objectOf(additionalModelResponseFields);
  return textOf(fields.stop_sequence) || textOf(objectOf(fields.delta).stop_sequence) || null;
}
