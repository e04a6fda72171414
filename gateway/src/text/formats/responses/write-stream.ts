/** Writes neutral events as a responses stream. */
import { estimatedCost } from '../../../contract/cost.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { FrameTooLong } from '../../../kernel/framing.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Usage } from '../../../pricing/usage.ts';
import type { TextEvent } from '../../text-event.ts';
import type { AnswerContext, AnswerEnd, AnswerHead, TextStreamWriter } from '../../text-format.ts';
import type { FinishReason } from '../../text-result.ts';
import { ItemCollector, type ItemStep } from './collect-items.ts';
import type { OutputItem } from './output-items.ts';
import {
  writeEndState,
  writeFailure,
  writeKeepAlive,
  writeResponse,
  writeResponseHead,
} from './write-response.ts';

/** The last event repeats the whole answer, so it is kept in memory. */
const ANSWER_CHARACTERS_MAX = 64 * 1024 * 1024;

export class ResponsesStreamWriter implements TextStreamWriter {
  readonly #context: AnswerContext<ResponsesRequest>;
  readonly #collector: ItemCollector;
  #characters = 0;
  #sequence = 0;
  #out = '';
  #finish: FinishReason = 'stop';

  constructor(context: AnswerContext<ResponsesRequest>) {
    this.#context = context;
    this.#collector = new ItemCollector(context, (step) => this.#write(step));
  }

  event(event: TextEvent): string {
    if (event.answer !== 0) return '';
    this.#weigh(event);
    this.#begin();
    if (event.type === 'finish') this.#finish = event.finish.reason;
    this.#collector.take(event);
    return this.#taken();
  }

  ending({ usage, cost, kept }: AnswerEnd): string {
    this.#begin();
    const end = writeEndState(this.#finish);
    const state = { ...end, output: this.#collector.items, usage, kept };
    const response = writeResponse(this.#context, state);
    if (cost !== null) response.estimated_cost = estimatedCost(cost);
    this.#event(`response.${end.status}`, { response });
    return this.#taken();
  }

  failure(problem: Problem, errorRef: string): string {
    if (this.#sequence === 0) this.#event('response.created', { response: this.#begun() });
    const output = this.#collector.abandon();
    const { type, fields } = writeFailure(this.#context, { problem, errorRef, output });
    this.#event(type, fields);
    return this.#taken();
  }

  keepAlive(): string {
    return this.#sequence === 0 ? '' : writeKeepAlive(this.#sequence - 1);
  }

  output(): readonly OutputItem[] {
    return this.#collector.items;
  }

  head(usage: Usage): AnswerHead {
    return writeResponseHead(this.#context, this.#finish, usage);
  }

  #weigh(event: TextEvent): void {
    if ('text' in event) this.#characters += event.text.length;
    else if (event.type === 'image') this.#characters += event.base64.length;
    if (this.#characters > ANSWER_CHARACTERS_MAX) throw new FrameTooLong(ANSWER_CHARACTERS_MAX);
  }

  #begin(): void {
    if (this.#sequence > 0) return;
    const response = this.#begun();
    this.#event('response.created', { response });
    this.#event('response.in_progress', { response });
  }

  #begun(): Record<string, unknown> {
    return writeResponse(this.#context, { status: 'in_progress', output: [] });
  }

  #write(step: ItemStep): void {
    const { index } = step;
    const item = this.#collector.items[index] as OutputItem;
    if (step.type === 'item_added' || step.type === 'item_done') {
      const type = step.type === 'item_added' ? 'added' : 'done';
      this.#event(`response.output_item.${type}`, { output_index: index, item });
    } else if (step.type === 'text') {
      const [type, rest] = deltaOf(item);
      this.#frame(
        type,
        `"item_id":"${item.id}","output_index":${index},"delta":${JSON.stringify(step.text)}${rest}`,
      );
    } else {
      const at = { item_id: item.id, output_index: index };
      const steps = step.type === 'part_added' ? beginPart(item) : endPart(item);
      for (const [type, fields] of steps) this.#event(type, { ...at, ...fields });
    }
  }

  #event(type: string, fields: Record<string, unknown>): void {
    this.#frame(type, JSON.stringify(fields).slice(1, -1));
  }

  #frame(type: string, fields: string): void {
    const head = `"type":"${type}","sequence_number":${this.#sequence++}`;
    this.#out += `event: ${type}\ndata: {${head},${fields}}\n\n`;
  }

  #taken(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }
}

type PartEvent = [type: string, fields: Record<string, unknown>];

/** The event for a piece of text, and its additional fields. */
function deltaOf(item: OutputItem): [type: string, rest: string] {
  if (item.type === 'function_call') return ['response.function_call_arguments.delta', ''];
  if (item.type === 'custom_tool_call') return ['response.custom_tool_call_input.delta', ''];
  if (item.type !== 'message') return ['response.reasoning_summary_text.delta', ',"summary_index":0'];
  const place = `,"content_index":${item.content.length - 1}`;
  return item.content.at(-1)?.type === 'refusal'
    ? ['response.refusal.delta', place]
    : ['response.output_text.delta', `${place},"logprobs":[]`];
}

function beginPart(item: OutputItem): PartEvent[] {
  if (item.type === 'reasoning')
    return [['response.reasoning_summary_part.added', { summary_index: 0, part: item.summary[0] }]];
  if (item.type !== 'message') return [];
  const place = { content_index: item.content.length - 1 };
  return [['response.content_part.added', { ...place, part: item.content.at(-1) }]];
}

function endPart(item: OutputItem): PartEvent[] {
  if (item.type === 'function_call') {
    const { name, arguments: args } = item;
    return [['response.function_call_arguments.done', { name, arguments: args }]];
  }
  if (item.type === 'custom_tool_call')
    return [['response.custom_tool_call_input.done', { input: item.input }]];
  if (item.type === 'reasoning') {
    const [part] = item.summary;
    return [
      ['response.reasoning_summary_text.done', { summary_index: 0, text: part?.text ?? '' }],
      ['response.reasoning_summary_part.done', { summary_index: 0, part }],
    ];
  }
  if (item.type !== 'message') return [];
  const part = item.content.at(-1);
  const place = { content_index: item.content.length - 1 };
  const done: PartEvent =
    part?.type === 'refusal'
      ? ['response.refusal.done', { ...place, refusal: part.refusal }]
      : ['response.output_text.done', { ...place, text: part?.text ?? '', logprobs: [] }];
  return [done, ['response.content_part.done', { ...place, part }]];
}
