/** Maps Gemini's finish reasons. Pure. */
import type { FinishReason } from '../../text/text-result.ts';

const filtered = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/** A reason with no equivalent, such as MALFORMED_FUNCTION_CALL, is reported as `stop`; the call record keeps it. */
export function mapGoogleFinishReason(raw: string, calledTools: boolean): FinishReason {
  if (raw === 'MAX_TOKENS') return 'length';
  if (filtered.has(raw)) return 'content_filter';
  return raw === 'STOP' && calledTools ? 'tool_calls' : 'stop';
}
