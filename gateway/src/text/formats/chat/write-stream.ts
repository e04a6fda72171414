/** Writes neutral events as the chunks of a chat stream. */
import type { ChatRequest } from '../../../contract/chat.ts';
import { estimatedCost } from '../../../contract/cost.ts';
import { errorBody } from '../../../contract/error-body.ts';
import type { Problem } from '../../../kernel/problem.ts';
import { answerId } from '../../answer-ids.ts';
import type { TextEvent } from '../../text-event.ts';
import type { AnswerContext, AnswerEnd, TextStreamWriter } from '../../text-format.ts';
import { finishReasons, writeImage } from './write-answer.ts';
import { writeChatTier, writeChatUsage } from './write-usage.ts';

export class ChatStreamWriter implements TextStreamWriter {
  readonly #includeUsage: boolean;
  /** The envelope of every delta is the same, so it is written once. */
  readonly #head: string;
  readonly #begun = new Set<number>();
  /** The calls of tools that take a text, by answer and number. */
  readonly #textCalls = new Set<string>();
  /** Finish chunks are held until the end; the last one gets the cost. */
  readonly #finishes: Array<{ answer: number; reason: string }> = [];

  constructor(context: AnswerContext<ChatRequest>) {
    this.#includeUsage = context.request.stream_options?.include_usage === true;
    const { callId, createdSeconds, model } = context;
    this.#head =
      `data: {"id":"${answerId('chatcmpl', callId)}","object":"chat.completion.chunk",` +
      `"created":${createdSeconds},"model":${JSON.stringify(model)},"choices":[{"index":`;
  }

  event(event: TextEvent): string {
    if (event.type === 'finish') {
      this.#finishes.push({ answer: event.answer, reason: finishReasons[event.finish.reason] });
      return this.#begin(event.answer);
    }
    const delta = writeDelta(event, this.#isText(event));
    return delta === '' ? '' : this.#begin(event.answer) + this.#chunk(event.answer, delta);
  }

  ending(end: AnswerEnd): string {
    const last = this.#finishes.length - 1;
    const chunks = this.#finishes.map(({ answer, reason }, i) => {
      const finish = `${this.#head}${answer},"delta":{},"logprobs":null,"finish_reason":"${reason}"}]`;
      return `${finish}${i === last ? this.#writeEnd(end) : ''}}\n\n`;
    });
    return `${chunks.join('')}data: [DONE]\n\n`;
  }

  failure(problem: Problem, errorRef: string): string {
    return writeChatFailure(problem, errorRef);
  }

  #writeEnd({ usage, cost }: AnswerEnd): string {
    const tier = `,"service_tier":${JSON.stringify(writeChatTier(usage))}`;
    if (!this.#includeUsage) return tier;
    const usageText = usage === null ? 'null' : JSON.stringify(writeChatUsage(usage));
    return `${tier},"usage":${usageText}${cost === null ? '' : `,"estimated_cost":${JSON.stringify(estimatedCost(cost))}`}`;
  }

  /** Whether it belongs to a call of a tool that takes a text. */
  #isText(event: TextEvent): boolean {
    if (event.type === 'tool_call' && event.isText) this.#textCalls.add(`${event.answer} ${event.call}`);
    if (event.type !== 'tool_arguments' || this.#textCalls.size === 0) return false;
    return this.#textCalls.has(`${event.answer} ${event.call}`);
  }

  #begin(answer: number): string {
    if (this.#begun.has(answer)) return '';
    this.#begun.add(answer);
    return this.#chunk(answer, '{"role":"assistant","content":""}');
  }

  #chunk(answer: number, delta: string): string {
    return `${this.#head}${answer},"delta":${delta},"logprobs":null,"finish_reason":null}]}\n\n`;
  }
}

/** `isText`: the arguments are those of a tool that takes a text. */
function writeDelta(event: Exclude<TextEvent, { type: 'finish' }>, isText: boolean): string {
  switch (event.type) {
    case 'text':
      return `{"content":${JSON.stringify(event.text)}}`;
    case 'refusal':
      return `{"refusal":${JSON.stringify(event.text)}}`;
    case 'reasoning':
      return `{"reasoning_content":${JSON.stringify(event.text)}}`;
    case 'tool_call': {
      const { call: index, id, name } = event;
      const called = event.isText
        ? { type: 'custom', custom: { name, input: '' } }
        : { type: 'function', function: { name, arguments: '' } };
      return JSON.stringify({ tool_calls: [{ index, id, ...called }] });
    }
    case 'tool_arguments': {
      const field = isText ? '"custom":{"input":' : '"function":{"arguments":';
      return `{"tool_calls":[{"index":${event.call},${field}${JSON.stringify(event.text)}}}]}`;
    }
    case 'image':
      return JSON.stringify({ images: [writeImage(event)] });
    case 'reasoning_proof':
      return '';
  }
}

/** The error body in a frame, without an end marker. */
export function writeChatFailure(problem: Problem, errorRef: string): string {
  return `data: ${JSON.stringify(errorBody(problem, errorRef))}\n\n`;
}
