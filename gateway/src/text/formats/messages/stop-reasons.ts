/** Why an answer ended, in the words of the messages format. */
import type { FinishReason } from '../../text-result.ts';

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/**
 * Some providers only say "stop" after a call they were told to make, and after a refusal in a field
 * of its own. Clients wait for `tool_use`; a refusal is text here, told apart by nothing else.
 */
export function stopReasonOf(reason: FinishReason, said: { calls: boolean; refusal: boolean }): string {
  if (reason !== 'stop') return stopReasons[reason];
  if (said.calls) return stopReasons.tool_calls;
  return said.refusal ? stopReasons.content_filter : stopReasons.stop;
}
