/** Maps the status of a response to a finish reason. Pure. */
import type { Json } from '../../../kernel/json/read-json.ts';
import { readEndReason } from '../../../text/formats/responses/relay-response.ts';
import type { Finish, FinishReason } from '../../../text/text-result.ts';

const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
};

/** A response that called tools ends with the status `completed`, as any other does. */
export function mapResponsesFinish(response: Json, calledTools: boolean): Finish {
  const raw = readEndReason(response) ?? '';
  const cut = response.status === 'incomplete' ? (incompleteReasons[raw] ?? 'length') : null;
  return { reason: cut ?? (calledTools ? 'tool_calls' : 'stop'), stopSequence: null, raw };
}
