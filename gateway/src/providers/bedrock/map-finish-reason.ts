/** Maps Converse's stop reasons. Pure. */
import { textOf } from '../../kernel/json/read-json.ts';
import type { Finish, FinishReason } from '../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

export function mapBedrockFinish(stopReason: unknown): Finish {
  const raw = textOf(stopReason);
  return { reason: finishReasons[raw] ?? 'stop', stopSequence: null, raw };
}
