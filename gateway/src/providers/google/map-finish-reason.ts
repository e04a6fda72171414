/** Maps Gemini's finish reasons. Pure. */
import { googleDialect } from '../../catalog/dialects/google/google-dialect.ts';
import type { FinishReason } from '../../text/text-result.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = googleDialect.finishReasons;

/** A reason with no equivalent, such as MALFORMED_FUNCTION_CALL, is reported as `stop`; the call record keeps it. */
export function mapGoogleFinishReason(raw: string, calledTools: boolean): FinishReason {
  return finishReasons[raw] ?? (raw === 'STOP' && calledTools ? 'tool_calls' : 'stop');
}
