/** Chat completions, whole and streamed, in neutral words. Pure. */

import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../kernel/json/read-json.ts';
import type { Usage } from '../../pricing/usage.ts';
import { readChatUsage } from '../../text/formats/chat/read-usage.ts';
import { readMediaUrl } from '../../text/read-media.ts';
import type { OutputPart } from '../../text/text-call.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../text/text-event.ts';
import type { Finish, FinishReason, TextResult } from '../../text/text-result.ts';

export function readChatAnswer(body: Buffer): TextResult | null {
  const json = parseObject(body.toString('utf8'));
  if (json === null || !Array.isArray(json.choices) || json.choices.length === 0) return null;
  return {
    answers: listOf(json.choices).map((choice) => ({
      parts: readMessage(objectOf(choice.message)),
      finish: readFinish(choice),
    })),
    usage: readChatUsage(json.usage),
  };
}

function readMessage(message: Json): OutputPart[] {
  const parts: OutputPart[] = [];
  const reasoning = reasoningOf(message);
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, proof: null });
  if (textOf(message.content) !== '') parts.push({ type: 'text', text: textOf(message.content) });
  if (textOf(message.refusal) !== '') parts.push({ type: 'refusal', text: textOf(message.refusal) });
  for (const call of listOf(message.tool_calls)) {
    const named = objectOf(call.function);
    const args = textOf(named.arguments);
    parts.push({
      type: 'tool_call',
      id: textOf(call.id),
      name: textOf(named.name),
      arguments: args,
      proof: null,
    });
  }
  for (const image of listOf(message.images)) parts.push(...readImage(image));
  return parts;
}

/** Servers disagree on the name of the field. */
function reasoningOf(message: Json): string {
  return textOf(message.reasoning_content) || textOf(message.reasoning);
}

function readImage(image: Json): Array<Extract<OutputPart, { type: 'image' }>> {
  const url = textOf(objectOf(image.image_url).url);
  const source = url.startsWith('data:') ? readMediaUrl(url, 'images') : null;
  return source?.kind === 'data' ? [{ ...source, type: 'image' }] : [];
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  model_length: 'length',
};

/** Some servers tell which sequence stopped them. */
function readFinish(choice: Json): Finish {
  const raw = textOf(choice.finish_reason);
  const stopSequence = typeof choice.stop_reason === 'string' ? choice.stop_reason : null;
  const reason = finishReasons[raw] ?? 'stop';
  return { reason: reason === 'stop' && stopSequence !== null ? 'stop_sequence' : reason, stopSequence, raw };
}

export class ChatStreamReader implements TextStreamReader {
  readonly #emit: OnTextEvent;
  readonly #begun = new Set<number>();
  readonly #finished = new Set<number>();
  /** Of each answer, the indexes of the calls that have begun. */
  readonly #calls = new Map<number, Set<number>>();
  #usage: unknown = null;
  #done = false;
  fault: StreamFault | null = null;

  constructor(emit: OnTextEvent) {
    this.#emit = emit;
  }

  get complete(): boolean {
    return this.fault === null && this.#finished.size > 0 && this.#finished.size >= this.#begun.size;
  }

  get usage(): Usage | null {
    return readChatUsage(this.#usage);
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
      for (const choice of listOf(chunk.choices)) this.#choice(choice);
    }
  }

  #choice(choice: Json): void {
    const answer = typeof choice.index === 'number' ? choice.index : 0;
    this.#begun.add(answer);
    const delta = objectOf(choice.delta);
    const reasoning = reasoningOf(delta);
    if (reasoning !== '') this.#emit({ type: 'reasoning', answer, text: reasoning });
    const content = textOf(delta.content);
    if (content !== '') this.#emit({ type: 'text', answer, text: content });
    const refusal = textOf(delta.refusal);
    if (refusal !== '') this.#emit({ type: 'refusal', answer, text: refusal });
    if (delta.tool_calls !== undefined) for (const call of listOf(delta.tool_calls)) this.#call(answer, call);
    if (delta.images !== undefined) {
      for (const image of listOf(delta.images).flatMap(readImage))
        this.#emit({ ...image, type: 'image', answer });
    }
    if (typeof choice.finish_reason === 'string' && !this.#finished.has(answer)) {
      this.#finished.add(answer);
      this.#emit({ type: 'finish', answer, finish: readFinish(choice) });
    }
  }

  #call(answer: number, fragment: Json): void {
    const begun = this.#calls.get(answer) ?? new Set<number>();
    this.#calls.set(answer, begun);
    const call = typeof fragment.index === 'number' ? fragment.index : Math.max(0, begun.size - 1);
    const named = objectOf(fragment.function);
    if (!begun.has(call)) {
      begun.add(call);
      const id = textOf(fragment.id);
      this.#emit({ type: 'tool_call', answer, call, id, name: textOf(named.name), proof: null });
    }
    const text = textOf(named.arguments);
    if (text !== '') this.#emit({ type: 'tool_arguments', answer, call, text });
  }
}
