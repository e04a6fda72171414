/** Maps the finish reason of a chat choice. Pure. */
import { chatFinishReasons } from '../../../catalog/dialects/openai/finish-reasons.ts';
import { type Json, textOf } from '../../../json/read-json.ts';
import type { Finish } from '../../../text/text-result.ts';

/** Some servers report in `stop_reason` which stop sequence ended the answer. */
export function mapChatFinish(choice: Json): Finish {
  const raw = textOf(choice.finish_reason);
  const stopSequence = typeof choice.stop_reason === 'string' ? choice.stop_reason : null;
  const reason = chatFinishReasons[raw] ?? 'stop';
  return { reason: reason === 'stop' && stopSequence !== null ? 'stop_sequence' : reason, stopSequence, raw };
}
