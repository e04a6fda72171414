/** Reads the events of a streamed response. Items of tools that the provider runs itself are left out. Pure. */
import { type Json, listOf, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';
import { isHostedTool } from '../../../text/formats/responses/count-tools.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../../text/text-event.ts';
import { mapResponsesFinish } from './map-finish-reason.ts';
import { PART_BREAK, readResponseItem } from './read-answer.ts';
import { readResponsesUsage, seenResponsesDetails } from './read-usage.ts';

export class ResponsesStreamReader implements TextStreamReader {
  readonly #emit: OnTextEvent;
  /** By output index: the tool calls in order, and the items whose content came in deltas. */
  readonly #calls = new Map<unknown, number>();
  readonly #streamed = new Set<unknown>();
  /** The response of the last event. */
  #end: Json | null = null;
  /** Finished items of tools that the provider ran, for servers whose last event does not repeat them. */
  readonly #hosted: Json[] = [];
  /** Those that have begun, by output index. */
  readonly #begun = new Map<unknown, Json>();
  complete = false;
  fault: StreamFault | null = null;

  constructor(emit: OnTextEvent) {
    this.#emit = emit;
  }

  get usage(): Usage | null {
    const repeated = listOf(this.#end?.output).length > 0;
    return readResponsesUsage(this.#end, repeated ? undefined : this.#hosted);
  }

  /** A tool that had begun when the stream broke may have run. */
  get seenDetails(): UsageDetails | undefined {
    const repeated = listOf(this.#end?.output);
    const done = repeated.length > 0 ? repeated : [...this.#hosted, ...this.#begun.values()];
    return seenResponsesDetails(this.#end, done);
  }

  frame(data: string): void {
    if (this.complete || this.fault !== null) return;
    const event = parseObject(data);
    if (event === null) {
      this.fault = { reason: 'invalid_frame', error: null };
      return;
    }
    this.#event(event, objectOf(event.item));
  }

  #event(event: Json, item: Json): void {
    switch (event.type) {
      case 'response.output_text.delta':
        this.#text('text', event);
        break;
      case 'response.refusal.delta':
        this.#text('refusal', event);
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#text('reasoning', event);
        break;
      case 'response.reasoning_summary_part.added':
        if (this.#streamed.has(event.output_index))
          this.#emit({ type: 'reasoning', answer: 0, text: PART_BREAK });
        break;
      case 'response.output_item.added':
        if (isOwnCall(item)) this.#call(event.output_index, item);
        else if (isHostedTool(item.type)) this.#begun.set(event.output_index, item);
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#arguments(event.output_index, textOf(event.delta));
        break;
      case 'response.output_item.done':
        this.#done(event.output_index, item);
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(objectOf(event.response));
        break;
      case 'response.failed':
      case 'error': {
        const response = objectOf(event.response);
        this.#end = response;
        this.fault = { reason: 'provider_error', error: response.error ?? event.error ?? event };
      }
    }
  }

  #text(type: 'text' | 'refusal' | 'reasoning', event: Json): void {
    const text = textOf(event.delta);
    this.#streamed.add(event.output_index);
    if (text !== '') this.#emit({ type, answer: 0, text });
  }

  #call(index: unknown, item: Json): void {
    const call = this.#calls.size;
    this.#calls.set(index, call);
    const { call_id: id, name } = item;
    const kind = item.type === 'custom_tool_call' ? ({ isText: true } as const) : {};
    this.#emit({
      type: 'tool_call',
      answer: 0,
      call,
      id: textOf(id),
      name: textOf(name),
      proof: null,
      ...kind,
    });
  }

  #arguments(index: unknown, text: string): void {
    const call = this.#calls.get(index);
    if (call === undefined || text === '') return;
    this.#streamed.add(index);
    this.#emit({ type: 'tool_arguments', answer: 0, call, text });
  }

  /** Emits the content that did not come in deltas; proofs and images come only here. */
  #done(index: unknown, item: Json): void {
    const { type, action, container_id } = item;
    if (isHostedTool(type)) {
      this.#begun.delete(index);
      this.#hosted.push({ type, action, container_id });
    }
    if (isOwnCall(item)) {
      if (!this.#calls.has(index)) this.#call(index, item);
      if (!this.#streamed.has(index)) this.#arguments(index, textOf(item.arguments) || textOf(item.input));
      return;
    }
    for (const part of readResponseItem(item)) {
      if (part.type === 'image') this.#emit({ ...part, answer: 0 });
      else if (part.type !== 'tool_call' && part.text !== '' && !this.#streamed.has(index))
        this.#emit({ type: part.type, answer: 0, text: part.text });
      if (part.type === 'reasoning' && part.proof !== null)
        this.#emit({ type: 'reasoning_proof', answer: 0, proof: part.proof });
    }
  }

  #finish(response: Json): void {
    this.#end = response;
    this.complete = true;
    this.#emit({ type: 'finish', answer: 0, finish: mapResponsesFinish(response, this.#calls.size > 0) });
  }
}

/** A call of a tool that the caller runs. */
function isOwnCall({ type }: Json): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}
