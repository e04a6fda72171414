/** Reads the chunks of a Gemini stream; a whole answer is one such chunk. Pure. */

import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../json/read-json.ts';
import type { Usage, UsageDetails } from '../../pricing/usage.ts';
import { partId } from '../../text/answer-ids.ts';
import type { Proof } from '../../text/text-call.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../text/text-event.ts';
import { mapGoogleFinishReason } from './map-finish-reason.ts';
import { readGoogleUsage, seenGoogleDetails } from './read-usage.ts';

export class GoogleStreamReader implements TextStreamReader {
  readonly #callId: string;
  readonly #emit: OnTextEvent;
  readonly #begun = new Set<number>();
  readonly #finished = new Set<number>();
  /** The number of tool calls of each answer, and of all answers. */
  readonly #calls = new Map<number, number>();
  #callsInAll = 0;
  #counts: unknown = null;
  /** The number of searches of each answer; a later chunk repeats those of an earlier one. */
  readonly #queries = new Map<number, number>();
  /** The answers that name sources which Google found. */
  readonly #grounded = new Set<number>();
  fault: StreamFault | null = null;

  constructor(callId: string, emit: OnTextEvent) {
    this.#callId = callId;
    this.#emit = emit;
  }

  /** There is no end marker: a stream is complete when every answer that started has a finish reason. */
  get complete(): boolean {
    return this.fault === null && this.#finished.size > 0 && this.#finished.size >= this.#begun.size;
  }

  /** The counts in each chunk are cumulative, so the last ones are final. */
  get usage(): Usage | null {
    return this.complete ? readGoogleUsage(this.#counts, this.#searches()) : null;
  }

  get usageSoFar(): Usage | null {
    return readGoogleUsage(this.#counts, this.#searches());
  }

  get seenDetails(): UsageDetails | undefined {
    const uncounted = [...this.#grounded].some((answer) => (this.#queries.get(answer) ?? 0) === 0);
    return seenGoogleDetails(this.#searches(), uncounted);
  }

  frame(data: string): void {
    if (this.fault !== null) return;
    const chunk = parseObject(data);
    if (chunk === null) {
      this.fault = { reason: 'invalid_frame', error: null };
    } else if (isObject(chunk.error)) {
      this.fault = { reason: 'provider_error', error: chunk.error };
    } else {
      if (isObject(chunk.usageMetadata)) this.#counts = chunk.usageMetadata;
      const candidates = listOf(chunk.candidates);
      for (const candidate of candidates) this.#candidate(candidate);
      if (candidates.length === 0) this.#blocked(textOf(objectOf(chunk.promptFeedback).blockReason));
    }
  }

  #candidate(candidate: Json): void {
    const answer = typeof candidate.index === 'number' ? candidate.index : 0;
    this.#begun.add(answer);
    for (const part of listOf(objectOf(candidate.content).parts)) this.#part(answer, part);
    if (candidate.groundingMetadata !== undefined) this.#grounding(answer, candidate.groundingMetadata);
    const raw = textOf(candidate.finishReason);
    if (raw === '' || this.#finished.has(answer)) return;
    this.#finished.add(answer);
    const reason = mapGoogleFinishReason(raw, (this.#calls.get(answer) ?? 0) > 0);
    this.#emit({ type: 'finish', answer, finish: { reason, stopSequence: null, raw } });
  }

  #grounding(answer: number, metadata: unknown): void {
    const { webSearchQueries, groundingChunks } = objectOf(metadata);
    if (listOf(groundingChunks).length > 0) this.#grounded.add(answer);
    if (!Array.isArray(webSearchQueries)) return;
    this.#queries.set(answer, Math.max(this.#queries.get(answer) ?? 0, webSearchQueries.length));
  }

  #searches(): number {
    let sum = 0;
    for (const queries of this.#queries.values()) sum += queries;
    return sum;
  }

  /** A blocked prompt has no candidates. It becomes an answer without content, as with other providers. */
  #blocked(raw: string): void {
    if (raw === '' || this.#begun.size > 0) return;
    this.#begun.add(0);
    this.#finished.add(0);
    const finish = { reason: 'content_filter', stopSequence: null, raw } as const;
    this.#emit({ type: 'finish', answer: 0, finish });
  }

  #part(answer: number, part: Json): void {
    const signature = textOf(part.thoughtSignature);
    const proof: Proof | null = signature === '' ? null : { dialect: 'google', value: signature };
    if (isObject(part.functionCall)) {
      this.#call(answer, part.functionCall, proof);
      return;
    }
    const text = textOf(part.text);
    if (text !== '') this.#emit({ type: part.thought === true ? 'reasoning' : 'text', answer, text });
    const { mimeType, data } = objectOf(part.inlineData);
    // Images that belong to the reasoning are not part of the answer.
    if (typeof data === 'string' && part.thought !== true) {
      this.#emit({ type: 'image', answer, mediaType: textOf(mimeType) || 'image/png', base64: data });
    }
    if (proof !== null) this.#emit({ type: 'reasoning_proof', answer, proof });
  }

  /** Tool calls are not streamed in pieces. Not every model sends ids. */
  #call(answer: number, functionCall: Json, proof: Proof | null): void {
    const call = this.#calls.get(answer) ?? 0;
    this.#calls.set(answer, call + 1);
    const id = textOf(functionCall.id) || partId('call', this.#callId, this.#callsInAll);
    this.#callsInAll++;
    this.#emit({ type: 'tool_call', answer, call, id, name: textOf(functionCall.name), proof });
    const text = JSON.stringify(functionCall.args ?? {});
    this.#emit({ type: 'tool_arguments', answer, call, text });
  }
}
