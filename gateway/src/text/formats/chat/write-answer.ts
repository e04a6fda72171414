/** Writes a neutral answer as a whole chat completion. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { estimatedCost } from '../../../contract/cost.ts';
import { answerId } from '../../answer-ids.ts';
import { dataUrl } from '../../read-media.ts';
import type { OutputPart } from '../../text-call.ts';
import type { AnswerContext, AnswerEnd } from '../../text-format.ts';
import type { FinishReason, TextResult } from '../../text-result.ts';
import { writeChatTier, writeChatUsage } from './write-usage.ts';

export function writeChatAnswer(
  result: TextResult,
  context: AnswerContext<ChatRequest>,
  end: AnswerEnd,
): string {
  return JSON.stringify({
    id: answerId('chatcmpl', context.callId),
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.model,
    choices: result.answers.map(({ parts, finish }, index) => ({
      index,
      message: writeMessage(parts),
      logprobs: null,
      finish_reason: finishReasons[finish.reason],
    })),
    service_tier: writeChatTier(end.usage),
    ...(end.usage !== null && { usage: writeChatUsage(end.usage) }),
    estimated_cost: estimatedCost(end.cost),
  });
}

export const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
};

function writeMessage(parts: readonly OutputPart[]): Record<string, unknown> {
  const texts = { text: '', refusal: '', reasoning: '' };
  const calls: unknown[] = [];
  const images: unknown[] = [];
  for (const part of parts) {
    if (part.type === 'image') images.push(writeImage(part));
    else if (part.type === 'tool_call') calls.push(writeToolCall(part));
    else texts[part.type] += part.text;
  }
  return {
    role: 'assistant',
    content: texts.text === '' && (calls.length > 0 || texts.refusal !== '') ? null : texts.text,
    refusal: texts.refusal === '' ? null : texts.refusal,
    ...(texts.reasoning !== '' && { reasoning_content: texts.reasoning }),
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** As an answer has it, and a later request that repeats the answer. */
export function writeToolCall(call: Extract<OutputPart, { type: 'tool_call' }>): object {
  const { id, name, arguments: text } = call;
  return call.isText
    ? { id, type: 'custom', custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: text } };
}

export function writeImage(image: { mediaType: string; base64: string }): Record<string, unknown> {
  return { type: 'image_url', image_url: { url: dataUrl(image) } };
}
