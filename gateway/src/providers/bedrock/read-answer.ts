/** A whole Converse answer in neutral words. Pure. */
import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../kernel/json/read-json.ts';
import type { OutputPart, Proof } from '../../text/text-call.ts';
import type { Finish, FinishReason, TextResult } from '../../text/text-result.ts';
import { readBedrockUsage } from './read-usage.ts';

export function readBedrockAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  const message = objectOf(json?.output).message;
  if (json === null || !isObject(message)) return null;
  return {
    answers: [{ parts: listOf(message.content).flatMap(readBlock), finish: readFinish(json.stopReason) }],
    usage: readBedrockUsage(json.usage),
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
    const proof = readProof(signature, reasoningContent.redactedContent);
    return [{ type: 'reasoning', text: textOf(text), proof }];
  }
  return textOf(block.text) === '' ? [] : [{ type: 'text', text: textOf(block.text) }];
}

/** Stands before the bytes of thoughts that are sealed, where those that can be read have a signature. */
export const SEALED = 'sealed:';

export function readProof(signature: unknown, redactedContent: unknown): Proof | null {
  if (textOf(redactedContent) !== '') return { dialect: 'bedrock', value: SEALED + textOf(redactedContent) };
  return textOf(signature) === '' ? null : { dialect: 'bedrock', value: textOf(signature) };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
};

export function readFinish(stopReason: unknown): Finish {
  const raw = textOf(stopReason);
  return { reason: finishReasons[raw] ?? 'stop', stopSequence: null, raw };
}
