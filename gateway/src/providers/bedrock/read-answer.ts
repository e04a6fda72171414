/** Reads a whole Converse answer. Pure. */
import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../json/read-json.ts';
import type { OutputPart } from '../../text/text-call.ts';
import type { TextResult } from '../../text/text-result.ts';
import type { AnswerReading } from '../provider.ts';
import { mapBedrockFinish } from './map-finish-reason.ts';
import { readBedrockUsage, seenBedrockDetails } from './read-usage.ts';
import { readBedrockProof } from './reasoning-proof.ts';

export function readBedrockAnswer(
  body: Buffer,
  { mayCallTools }: Pick<AnswerReading, 'mayCallTools'>,
): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  const message = objectOf(json?.output).message;
  if (json === null || !isObject(message)) return null;
  const usage = readBedrockUsage(json);
  const blocks = listOf(message.content).filter(({ toolUse }) => mayCallTools || toolUse === undefined);
  return {
    answers: [{ parts: blocks.flatMap(readBlock), finish: mapBedrockFinish(json, mayCallTools) }],
    usage,
    ...(usage === null && { seenDetails: seenBedrockDetails(json) }),
  };
}

function readBlock(block: Json): OutputPart[] {
  const { toolUse, reasoningContent } = block;
  if (isObject(toolUse)) {
    const { toolUseId, name, input = {} } = toolUse;
    const args = JSON.stringify(input);
    return [{ type: 'tool_call', id: textOf(toolUseId), name: textOf(name), arguments: args, proof: null }];
  }
  if (isObject(reasoningContent)) {
    const { text, signature } = objectOf(reasoningContent.reasoningText);
    const proof = readBedrockProof(signature, reasoningContent.redactedContent);
    return [{ type: 'reasoning', text: textOf(text), proof }];
  }
  return textOf(block.text) === '' ? [] : [{ type: 'text', text: textOf(block.text) }];
}
