/** Relays a whole message to the caller. */
import { estimatedCost } from '../../../contract/cost.ts';
import { replaceFields } from '../../../json/edit-fields.ts';
import { locateFields } from '../../../json/parse-json.ts';
import { type Json, listOf, parseObject, textOf } from '../../../json/read-json.ts';
import type { AnswerEnd, WholeAnswer } from '../../text-format.ts';
import { countServerTools } from './count-tools.ts';
import { readMessagesUsage } from './read-usage.ts';
import { writeMessagesUsage } from './write-usage.ts';

/** Null when the bytes are not a message. */
export function relayMessagesAnswer(bytes: Buffer, context: { model: string }): WholeAnswer | null {
  const json = parseObject(bytes.toString('utf8'));
  if (json === null || json.type !== 'message' || !Array.isArray(json.content)) return null;
  const usage = readMessagesUsage(json.usage);
  return {
    usage,
    seenDetails: () => countServerTools(json.content),
    finishReason: typeof json.stop_reason === 'string' ? json.stop_reason : null,
    texts: () => listOf(json.content).flatMap(blockTexts),
    body: (end) => showAnswer(bytes, { model: context.model, counted: usage === null }, end),
  };
}

/** The same body with our model code and the cost, and with the usage if the provider sent none. */
function showAnswer(bytes: Buffer, answer: { model: string; counted: boolean }, end: AnswerEnd): string {
  const changes: Record<string, string> = {
    model: JSON.stringify(answer.model),
    estimated_cost: JSON.stringify(estimatedCost(end.cost)),
  };
  if (answer.counted && end.usage !== null) changes.usage = JSON.stringify(writeMessagesUsage(end.usage));
  return replaceFields({ bytes, fields: locateFields(bytes) }, changes).toString('latin1');
}

function blockTexts(block: Json): string[] {
  if (block.type === 'tool_use') return [textOf(block.name), JSON.stringify(block.input ?? {})];
  const text = textOf(block.text) || textOf(block.thinking);
  return text === '' ? [] : [text];
}
