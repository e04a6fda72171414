/** Writes a neutral answer as a whole message. */
import { estimatedCost } from '../../../contract/cost.ts';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { parseObject } from '../../../json/read-json.ts';
import { answerId } from '../../answer-ids.ts';
import type { OutputPart } from '../../text-call.ts';
import type { AnswerContext, AnswerEnd } from '../../text-format.ts';
import type { TextResult } from '../../text-result.ts';
import { stopReasonOf } from './stop-reasons.ts';
import { writeCallProof, writeThinking } from './write-thinking.ts';
import { writeMessagesTier, writeMessagesUsage } from './write-usage.ts';

export function writeMessagesAnswer(
  result: TextResult,
  context: AnswerContext<MessagesRequest>,
  end: AnswerEnd,
): string {
  const [answer] = result.answers;
  const parts = answer?.parts ?? [];
  const produced = {
    calls: parts.some(({ type }) => type === 'tool_call'),
    refusal: parts.some(({ type }) => type === 'refusal'),
  };
  return JSON.stringify({
    ...emptyMessage(context),
    content: parts.flatMap(writeBlock),
    stop_reason: stopReasonOf(answer?.finish.reason ?? 'stop', produced),
    stop_sequence: answer?.finish.stopSequence ?? null,
    ...(end.usage !== null && {
      usage: { ...writeMessagesUsage(end.usage), ...writeMessagesTier(end.usage) },
    }),
    estimated_cost: estimatedCost(end.cost),
  });
}

/** A message before it has content. */
export function emptyMessage(context: AnswerContext<MessagesRequest>): Record<string, unknown> {
  return {
    id: answerId('msg', context.callId),
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function writeBlock(part: OutputPart): object[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'reasoning':
      return part.text === '' && part.proof === null ? [] : [writeThinking(part)];
    case 'tool_call':
      // Truncated arguments are not valid JSON, and a whole message cannot carry them.
      return [
        ...writeCallProof(part.proof),
        { type: 'tool_use', id: part.id, name: part.name, input: parseObject(part.arguments) ?? {} },
      ];
    case 'image':
      return [];
  }
}
