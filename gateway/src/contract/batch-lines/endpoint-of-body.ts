/** Which endpoint a body is written for, so that a line with a wrong url can be checked as a whole. Pure. */
import { type BatchKind, batchKinds } from '../paid-endpoints.ts';

/** Null if it could be for several: rules of the wrong endpoint would report what is right. */
export function endpointOfBody(
  body: Readonly<Record<string, unknown>>,
  offers: (model: string, endpoint: BatchKind) => boolean,
): BatchKind | null {
  const { messages, input, model } = body;
  const hasMessages = messages !== undefined && messages !== null;
  const hasInput = input !== undefined && input !== null;
  if (hasMessages) return hasInput ? null : 'chat';
  if (!hasInput || typeof model !== 'string') return null;
  // All others take an input; the model says for which of them.
  const fitting = batchKinds.filter((endpoint) => endpoint !== 'chat' && offers(model, endpoint));
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
