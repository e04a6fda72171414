/** Maps Converse's stop reasons. Pure. */
import { bedrockDialect } from '../../catalog/dialects/bedrock/bedrock-dialect.ts';
import { type Json, objectOf, textOf } from '../../json/read-json.ts';
import type { Finish, FinishReason } from '../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = bedrockDialect.finishReasons;

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
