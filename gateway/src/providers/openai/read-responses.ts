/** Responses, whole and streamed, in neutral words. What tools of the provider did is left out. Pure. */

import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../kernel/json/read-json.ts';
import type { Usage } from '../../pricing/usage.ts';
import { imageOfItem } from '../../text/formats/responses/image-item.ts';
import { readResponsesUsage } from '../../text/formats/responses/read-usage.ts';
import { readEndReason } from '../../text/formats/responses/relay-response.ts';
import { ownProof } from '../../text/formats/responses/sealed-proof.ts';
import type { OutputPart } from '../../text/text-call.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../text/text-event.ts';
import type { Finish, FinishReason, TextResult } from '../../text/text-result.ts';

/** Between the parts of a summary, which are one text elsewhere. */
const PART_BREAK = '\n\n';

/** Null when the body is not a response, or one that failed. */
export function readResponsesAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  if (json === null || !Array.isArray(json.output) || json.status === 'failed') return null;
  const parts = listOf(json.output).flatMap(readItem);
  const finish = readFinish(
    json,
    parts.some((part) => part.type === 'tool_call'),
  );
  return { answers: [{ parts, finish }], usage: readResponsesUsage(json.usage) };
}

function readItem(item: Json): OutputPart[] {
  switch (item.type) {
    case 'message':
      return listOf(item.content).flatMap((part): OutputPart[] => {
        if (part.type === 'refusal') return [{ type: 'refusal', text: textOf(part.refusal) }];
        return textOf(part.text) === '' ? [] : [{ type: 'text', text: textOf(part.text) }];
      });
    case 'reasoning': {
      const text = thoughtsOf(item);
      const sealed = textOf(item.encrypted_content);
      const proof = sealed === '' ? null : ownProof(textOf(item.id), sealed);
      return text === '' && proof === null ? [] : [{ type: 'reasoning', text, proof }];
    }
    case 'function_call': {
      const { call_id: id, name, arguments: args } = item;
      return [
        { type: 'tool_call', id: textOf(id), name: textOf(name), arguments: textOf(args), proof: null },
      ];
    }
    case 'image_generation_call': {
      const image = imageOfItem(item);
      return image === null ? [] : [{ type: 'image', ...image }];
    }
    default:
      return [];
  }
}

/** The summary; servers that show their thoughts in full have them in the content. */
function thoughtsOf(item: Json): string {
  const summary = listOf(item.summary);
  return (summary.length > 0 ? summary : listOf(item.content))
    .map((part) => textOf(part.text))
    .join(PART_BREAK);
}

const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
};

function readFinish(response: Json, calls: boolean): Finish {
  const raw = readEndReason(response) ?? '';
  const cut = response.status === 'incomplete' ? (incompleteReasons[raw] ?? 'length') : null;
  return { reason: cut ?? (calls ? 'tool_calls' : 'stop'), stopSequence: null, raw };
}

export class ResponsesStreamReader implements TextStreamReader {
  readonly #emit: OnTextEvent;
  /** By output index: the calls in their order, and the items whose content came in pieces. */
  readonly #calls = new Map<unknown, number>();
  readonly #told = new Set<unknown>();
  #usage: unknown = null;
  complete = false;
  fault: StreamFault | null = null;

  constructor(emit: OnTextEvent) {
    this.#emit = emit;
  }

  get usage(): Usage | null {
    return readResponsesUsage(this.#usage);
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
        if (this.#told.has(event.output_index))
          this.#emit({ type: 'reasoning', answer: 0, text: PART_BREAK });
        break;
      case 'response.output_item.added':
        if (item.type === 'function_call') this.#call(event.output_index, item);
        break;
      case 'response.function_call_arguments.delta':
        this.#arguments(event.output_index, textOf(event.delta));
        break;
      case 'response.output_item.done':
        this.#done(event.output_index, item);
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#end(objectOf(event.response));
        break;
      case 'response.failed':
      case 'error': {
        const response = objectOf(event.response);
        this.#usage = response.usage;
        this.fault = { reason: 'provider_error', error: response.error ?? event.error ?? event };
      }
    }
  }

  #text(type: 'text' | 'refusal' | 'reasoning', event: Json): void {
    const text = textOf(event.delta);
    this.#told.add(event.output_index);
    if (text !== '') this.#emit({ type, answer: 0, text });
  }

  #call(index: unknown, item: Json): void {
    const call = this.#calls.size;
    this.#calls.set(index, call);
    const { call_id: id, name } = item;
    this.#emit({ type: 'tool_call', answer: 0, call, id: textOf(id), name: textOf(name), proof: null });
  }

  #arguments(index: unknown, text: string): void {
    const call = this.#calls.get(index);
    if (call === undefined || text === '') return;
    this.#told.add(index);
    this.#emit({ type: 'tool_arguments', answer: 0, call, text });
  }

  /** What an item says that was not told in pieces is told now; seals and images come only here. */
  #done(index: unknown, item: Json): void {
    if (item.type === 'function_call') {
      if (!this.#calls.has(index)) this.#call(index, item);
      if (!this.#told.has(index)) this.#arguments(index, textOf(item.arguments));
      return;
    }
    for (const part of readItem(item)) {
      if (part.type === 'image') this.#emit({ ...part, answer: 0 });
      else if (part.type !== 'tool_call' && part.text !== '' && !this.#told.has(index))
        this.#emit({ type: part.type, answer: 0, text: part.text });
      if (part.type === 'reasoning' && part.proof !== null)
        this.#emit({ type: 'reasoning_proof', answer: 0, proof: part.proof });
    }
  }

  #end(response: Json): void {
    this.#usage = isObject(response.usage) ? response.usage : null;
    this.complete = true;
    this.#emit({ type: 'finish', answer: 0, finish: readFinish(response, this.#calls.size > 0) });
  }
}
