/** Maps the status of a response to a finish reason. Pure. */
import { incompleteReasons } from '../../../catalog/dialects/openai/finish-reasons.ts';
import type { Json } from '../../../json/read-json.ts';
import { readEndReason } from '../../../text/formats/responses/relay-response.ts';
import type { Finish } from '../../../text/text-result.ts';

/** A response that called tools ends with the status `completed`, as any other does. */
export function mapResponsesFinish(response: Json, calledTools: boolean): Finish {
  const raw = readEndReason(response) ?? '';
  const cut = response.status === 'incomplete' ? (incompleteReasons[raw] ?? 'length') : null;
  return { reason: cut ?? (calledTools ? 'tool_calls' : 'stop'), stopSequence: null, raw };
}
