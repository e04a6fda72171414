/** Reads the chunks of a streamed chat completion. Pure. */
import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';
import { citesSources, seenChatDetails } from '../../../text/formats/chat/hosted-tools.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../../text/text-event.ts';
import { mapChatFinish } from './map-finish-reason.ts';
import { chatReasoning, readCalledTool, readChatImage } from './read-answer.ts';
import { readChatUsage } from './read-usage.ts';

export class ChatStreamReader implements TextStreamReader {
  readonly #emit: OnTextEvent;
  readonly #begun = new Set<number>();
  readonly #finished = new Set<number>();
  /** For each answer, the indexes of the tool calls that have started. */
  readonly #calls = new Map<number, Set<number>>();
  #usage: unknown = null;
  #tier: unknown = null;
  /** Whether the provider named sources that it found itself. */
  #cited = false;
  #done = false;
  fault: StreamFault | null = null;

  constructor(emit: OnTextEvent) {
    this.#emit = emit;
  }

  get complete(): boolean {
    return this.fault === null && this.#finished.size > 0 && this.#finished.size >= this.#begun.size;
  }

  get usage(): Usage | null {
    return readChatUsage(this.#usage, this.#tier);
  }

  get seenDetails(): UsageDetails | undefined {
    return seenChatDetails({ usage: this.#usage, tier: this.#tier, hosted: this.#cited });
  }

  frame(data: string): void {
    if (this.#done || this.fault !== null) return;
    if (data.trim() === '[DONE]') {
      this.#done = true;
      return;
    }
    const chunk = parseObject(data);
    if (chunk === null) {
      this.fault = { reason: 'invalid_frame', error: null };
    } else if (isObject(chunk.error) || typeof chunk.error === 'string') {
      this.fault = { reason: 'provider_error', error: chunk.error };
    } else {
      if (isObject(chunk.usage)) this.#usage = chunk.usage;
      this.#tier = chunk.service_tier ?? this.#tier;
      if (chunk.citations !== undefined || chunk.search_results !== undefined) this.#cites(chunk);
      for (const choice of listOf(chunk.choices)) this.#choice(choice);
    }
  }

  #choice(choice: Json): void {
    const answer = typeof choice.index === 'number' ? choice.index : 0;
    this.#begun.add(answer);
    const delta = objectOf(choice.delta);
    const reasoning = chatReasoning(delta);
    if (reasoning !== '') this.#emit({ type: 'reasoning', answer, text: reasoning });
    const content = textOf(delta.content);
    if (content !== '') this.#emit({ type: 'text', answer, text: content });
    const refusal = textOf(delta.refusal);
    if (refusal !== '') this.#emit({ type: 'refusal', answer, text: refusal });
    if (delta.tool_calls !== undefined) for (const call of listOf(delta.tool_calls)) this.#call(answer, call);
    if (delta.annotations !== undefined) this.#cites(delta);
    if (delta.images !== undefined) {
      for (const image of listOf(delta.images).flatMap(readChatImage))
        this.#emit({ ...image, type: 'image', answer });
    }
    if (typeof choice.finish_reason === 'string' && !this.#finished.has(answer)) {
      this.#finished.add(answer);
      this.#emit({ type: 'finish', answer, finish: mapChatFinish(choice) });
    }
  }

  #cites(part: Json): void {
    this.#cited ||= citesSources(part);
  }

  #call(answer: number, fragment: Json): void {
    const begun = this.#calls.get(answer) ?? new Set<number>();
    this.#calls.set(answer, begun);
    const call = typeof fragment.index === 'number' ? fragment.index : Math.max(0, begun.size - 1);
    const { name, text, isText } = readCalledTool(fragment);
    if (!begun.has(call)) {
      begun.add(call);
      const id = textOf(fragment.id);
      const kind = isText ? ({ isText: true } as const) : {};
      this.#emit({ type: 'tool_call', answer, call, id, name, proof: null, ...kind });
    }
    if (text !== '') this.#emit({ type: 'tool_arguments', answer, call, text });
  }
}
