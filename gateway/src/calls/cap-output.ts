/**
 * The output limit of a call whose caller set none, in a space whose limits are never exceeded: what the space can pay for is
 * sent as the limit, and a header says so to the caller. Pure.
 */
import type { Model } from '../catalog/model.ts';
import type { TextCall } from '../text/text-call.ts';
import type { RelayEdits, RelayTarget, TextFormatName } from '../text/text-format.ts';
import type { ReplyHeaders } from './call-reply.ts';
import { answerTokens } from './cost-at-most.ts';

/** The limit to send to this model; null: its own is not higher. */
export function sentCap(outputCap: number | null, model: Pick<Model, 'outputTokensMax'>): number | null {
  if (outputCap === null) return null;
  if (model.outputTokensMax !== null && outputCap >= model.outputTokensMax) return null;
  return Math.min(outputCap, answerTokens(model));
}

/** `field`: the one in which the model expects the limit in chat; null: it takes the newer one. */
export function withCapEdit(
  edits: RelayEdits | undefined,
  cap: number,
  { format, field }: { format: TextFormatName; field: RelayTarget['outputCapField'] },
): RelayEdits {
  const name = format === 'chat' ? (field ?? 'max_completion_tokens') : capFields[format];
  return { changes: { ...edits?.changes, [name]: String(cap) }, removed: edits?.removed ?? [] };
}

const capFields = { responses: 'max_output_tokens', messages: 'max_tokens' } as const;

export function withCap(call: TextCall, cap: number | null): TextCall {
  return cap === null || call.outputTokensMax !== null ? call : { ...call, outputTokensMax: cap };
}

/** Nothing if no limit is sent. */
export function outputLimitHeaders(
  outputCap: number | null,
  model: Pick<Model, 'outputTokensMax'>,
): ReplyHeaders {
  const cap = sentCap(outputCap, model);
  return cap === null ? {} : { 'x-tollgate-output-limit': String(cap) };
}
