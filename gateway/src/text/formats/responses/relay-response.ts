/** Relays a whole response to the caller. */
import { estimatedCost } from '../../../contract/cost.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { replaceFields } from '../../../json/edit-fields.ts';
import { locateFields } from '../../../json/parse-json.ts';
import { type Json, listOf, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import type { Usage } from '../../../pricing/usage.ts';
import { answerId } from '../../answer-ids.ts';
import type { AnswerContext, AnswerHead, WholeAnswer } from '../../text-format.ts';
import { readResponsesUsage, seenResponsesDetails } from './read-usage.ts';
import { writeResponsesUsage } from './write-usage.ts';

/** Null when the bytes are not a response, or are a failed one, which is an error and not an answer. */
export function relayResponsesAnswer(
  bytes: Buffer,
  context: AnswerContext<ResponsesRequest>,
): WholeAnswer | null {
  const json = parseObject(bytes.toString('utf8'));
  if (json === null || !Array.isArray(json.output) || json.status === 'failed') return null;
  const usage = readResponsesUsage(json);
  return {
    usage,
    seenDetails: () => seenResponsesDetails(json, listOf(json.output)),
    finishReason: readEndReason(json),
    texts: () => outputTexts(json.output),
    output: () => listOf(json.output),
    head: (counted) => relayedHead(json, context, counted),
    body: (end) => {
      const changes = shownFields(context, end.kept);
      changes.estimated_cost = JSON.stringify(estimatedCost(end.cost));
      if (usage === null && end.usage !== null)
        changes.usage = JSON.stringify(writeResponsesUsage(end.usage));
      return replaceFields({ bytes, fields: locateFields(bytes) }, changes).toString('latin1');
    },
  };
}

/** A relayed response without its output, for keeping. `counted` is its usage if the provider reported none. */
export function relayedHead(
  { output: _, ...response }: Json,
  context: AnswerContext<ResponsesRequest>,
  counted: Usage,
): AnswerHead {
  const reported = readResponsesUsage(response) !== null;
  return {
    ...response,
    ...ownFields(context, true),
    usage: reported ? response.usage : writeResponsesUsage(counted),
  };
}

/** The fields of a response that the gateway sets itself, each as JSON. */
export function shownFields(context: AnswerContext<ResponsesRequest>, kept = true): Record<string, string> {
  const fields = Object.entries(ownFields(context, kept));
  return Object.fromEntries(fields.map(([name, value]) => [name, JSON.stringify(value)]));
}

function ownFields(
  { request, callId, model }: AnswerContext<ResponsesRequest>,
  kept: boolean,
): Record<string, unknown> {
  return {
    id: answerId('resp', callId),
    model,
    store: kept && (request.store ?? true),
    previous_response_id: request.previous_response_id ?? null,
    metadata: request.metadata ?? {},
    // The provider is not asked for it.
    ...(request.background === true && { background: true }),
  };
}

/** The provider's value: why the response is incomplete, or else its status. */
export function readEndReason(response: Json): string | null {
  return textOf(objectOf(response.incomplete_details).reason) || textOf(response.status) || null;
}

export function outputTexts(output: unknown): string[] {
  return listOf(output).flatMap((item) => {
    const texts = [textOf(item.name), textOf(item.arguments)];
    for (const part of [...listOf(item.content), ...listOf(item.summary)])
      texts.push(textOf(part.text), textOf(part.refusal));
    return texts.filter((text) => text !== '');
  });
}
