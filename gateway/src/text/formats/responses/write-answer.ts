/** Writes a neutral answer as a whole response. */
import { estimatedCost } from '../../../contract/cost.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import type { Usage } from '../../../pricing/usage.ts';
import type { OutputPart } from '../../text-call.ts';
import type { TextEvent } from '../../text-event.ts';
import type { AnswerContext, AnswerEnd, AnswerHead } from '../../text-format.ts';
import type { TextResult } from '../../text-result.ts';
import { ItemCollector } from './collect-items.ts';
import type { OutputItem } from './output-items.ts';
import { writeEndState, writeResponse, writeResponseHead } from './write-response.ts';

export function writeResponsesAnswer(
  result: TextResult,
  context: AnswerContext<ResponsesRequest>,
  end: AnswerEnd,
): string {
  const state = {
    ...writeEndState(result.answers[0]?.finish.reason ?? 'stop'),
    output: writeOutputItems(result, context),
    usage: end.usage,
    kept: end.kept,
  };
  return JSON.stringify({ ...writeResponse(context, state), estimated_cost: estimatedCost(end.cost) });
}

export function writeResponsesHead(
  { answers: [answer] }: TextResult,
  context: AnswerContext<ResponsesRequest>,
  usage: Usage,
): AnswerHead {
  return writeResponseHead(context, answer?.finish.reason ?? 'stop', usage);
}

/** This format always has one answer. */
export function writeOutputItems(
  { answers: [answer] }: TextResult,
  context: Pick<AnswerContext<ResponsesRequest>, 'callId' | 'request'>,
): readonly OutputItem[] {
  const collector = new ItemCollector(context);
  let calls = 0;
  for (const part of answer?.parts ?? []) {
    for (const event of partEvents(part, calls)) collector.take(event);
    if (part.type === 'tool_call') calls++;
  }
  if (answer !== undefined) collector.take({ type: 'finish', answer: 0, finish: answer.finish });
  return collector.items;
}

function partEvents(part: OutputPart, call: number): TextEvent[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'image':
      return [{ ...part, answer: 0 }];
    case 'tool_call': {
      const { id, name, proof, arguments: text, isText } = part;
      return [
        { type: 'tool_call', answer: 0, call, id, name, proof, ...(isText && { isText }) },
        { type: 'tool_arguments', answer: 0, call, text },
      ];
    }
    case 'reasoning': {
      const events: TextEvent[] = [];
      if (part.text !== '') events.push({ type: 'reasoning', answer: 0, text: part.text });
      if (part.proof !== null) events.push({ type: 'reasoning_proof', answer: 0, proof: part.proof });
      return events;
    }
  }
}
