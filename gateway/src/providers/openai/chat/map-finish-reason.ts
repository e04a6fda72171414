/** Maps the finish reason of a chat choice. Pure. */
import { type Json, textOf } from '../../../kernel/json/read-json.ts';
import type { Finish, FinishReason } from '../../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  model_length: 'length',
};

/** Some servers report in `stop_reason` which stop sequence ended the answer. */
export function mapChatFinish(choice: Json): Finish {
  const raw = textOf(choice.finish_reason);
  const stopSequence = typeof choice.stop_reason === 'string' ? choice.stop_reason : null;
  const reason = finishReasons[raw] ?? 'stop';
  return { reason: reason === 'stop' && stopSequence !== null ? 'stop_sequence' : reason, stopSequence, raw };
}
