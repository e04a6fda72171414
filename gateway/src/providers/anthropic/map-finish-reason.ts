/** Maps Anthropic's stop reasons. Pure. */
import { anthropicDialect } from '../../catalog/dialects/anthropic/anthropic-dialect.ts';
import { type Json, textOf } from '../../json/read-json.ts';
import type { Finish, FinishReason } from '../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = anthropicDialect.finishReasons;

/** `json` is a message, or the delta that ends a streamed message. */
export function mapAnthropicFinish(json: Json): Finish {
  const raw = textOf(json.stop_reason);
  const stopSequence = typeof json.stop_sequence === 'string' ? json.stop_sequence : null;
  return { reason: finishReasons[raw] ?? 'stop', stopSequence, raw };
}
