/** Maps neutral finish reasons to stop reasons of the messages format. */
import type { FinishReason } from '../../text-result.ts';

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/**
 * Some providers report "stop" after a forced tool call or a refusal. Clients wait for `tool_use`, and a
 * refusal is plain text in this format, so the stop reason must show it.
 */
export function stopReasonOf(reason: FinishReason, produced: { calls: boolean; refusal: boolean }): string {
  if (reason !== 'stop') return stopReasons[reason];
  if (produced.calls) return stopReasons.tool_calls;
  return produced.refusal ? stopReasons.content_filter : stopReasons.stop;
}
