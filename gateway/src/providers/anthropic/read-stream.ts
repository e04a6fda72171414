/** Reads the events of a streamed message. Pure. */

import { isObject, type Json, objectOf, parseObject, textOf } from '../../json/read-json.ts';
import type { Usage, UsageDetails } from '../../pricing/usage.ts';
import { ServerTools } from '../../text/formats/messages/count-tools.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../text/text-event.ts';
import { mapAnthropicFinish } from './map-finish-reason.ts';
import { redactedProof, signatureProof } from './read-answer.ts';
import { StreamedUsage } from './read-usage.ts';

/** A content block that is not finished. */
type Block =
  | { readonly kind: 'thinking'; signature: string }
  | { readonly kind: 'call'; readonly call: number; hasArguments: boolean };

export class AnthropicStreamReader implements TextStreamReader {
  readonly #emit: OnTextEvent;
  readonly #blocks = new Map<unknown, Block>();
  #calls = 0;
  readonly #tools = new ServerTools();
  readonly #usage = new StreamedUsage();
  #finished = false;
  #done = false;
  fault: StreamFault | null = null;

  constructor(emit: OnTextEvent) {
    this.#emit = emit;
  }

  get complete(): boolean {
    return this.fault === null && this.#finished;
  }

  get usage(): Usage | null {
    return this.#usage.final;
  }

  get usageSoFar(): Usage | null {
    return this.#usage.soFar;
  }

  get seenDetails(): UsageDetails | undefined {
    return this.#tools.details;
  }

  frame(data: string): void {
    if (this.#done || this.fault !== null) return;
    const event = parseObject(data);
    if (event === null) {
      this.fault = { reason: 'invalid_frame', error: null };
      return;
    }
    switch (event.type) {
      case 'message_start':
        this.#usage.start(objectOf(event.message).usage);
        break;
      case 'content_block_start':
        this.#start(event.index, objectOf(event.content_block));
        break;
      case 'content_block_delta':
        this.#delta(this.#blocks.get(event.index), objectOf(event.delta));
        break;
      case 'content_block_stop':
        this.#stop(event.index);
        break;
      case 'message_delta':
        this.#end(event);
        break;
      case 'message_stop':
        this.#done = true;
        break;
      case 'error':
        this.fault = { reason: 'provider_error', error: event.error };
        break;
    }
  }

  #start(index: unknown, block: Json): void {
    switch (block.type) {
      case 'tool_use': {
        const call = this.#calls++;
        this.#blocks.set(index, { kind: 'call', call, hasArguments: false });
        const [id, name] = [textOf(block.id), textOf(block.name)];
        this.#emit({ type: 'tool_call', answer: 0, call, id, name, proof: null });
        if (isObject(block.input) && Object.keys(block.input).length > 0)
          this.#arguments(this.#blocks.get(index), JSON.stringify(block.input));
        break;
      }
      case 'thinking':
        this.#blocks.set(index, { kind: 'thinking', signature: textOf(block.signature) });
        this.#reasoning(textOf(block.thinking));
        break;
      case 'redacted_thinking':
        this.#emit({ type: 'reasoning_proof', answer: 0, proof: redactedProof(textOf(block.data)) });
        break;
      case 'text':
        this.#text(textOf(block.text));
        break;
      default:
        this.#tools.add(block);
    }
  }

  #delta(block: Block | undefined, delta: Json): void {
    switch (delta.type) {
      case 'text_delta':
        this.#text(textOf(delta.text));
        break;
      case 'thinking_delta':
        this.#reasoning(textOf(delta.thinking));
        break;
      case 'signature_delta':
        if (block?.kind === 'thinking') block.signature = textOf(delta.signature);
        break;
      case 'input_json_delta':
        this.#arguments(block, textOf(delta.partial_json));
        break;
    }
  }

  #stop(index: unknown): void {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (block?.kind === 'thinking') {
      const proof = signatureProof(block.signature);
      if (proof !== null) this.#emit({ type: 'reasoning_proof', answer: 0, proof });
    }
    // A call without arguments has no delta, but clients expect valid JSON.
    if (block?.kind === 'call' && !block.hasArguments) this.#arguments(block, '{}');
  }

  #text(text: string): void {
    if (text !== '') this.#emit({ type: 'text', answer: 0, text });
  }

  #reasoning(text: string): void {
    if (text !== '') this.#emit({ type: 'reasoning', answer: 0, text });
  }

  #arguments(block: Block | undefined, text: string): void {
    if (block?.kind !== 'call' || text === '') return;
    block.hasArguments = true;
    this.#emit({ type: 'tool_arguments', answer: 0, call: block.call, text });
  }

  /** The counts are cumulative; with the stop reason they are final. */
  #end(event: Json): void {
    const delta = objectOf(event.delta);
    const isFinal = typeof delta.stop_reason === 'string' || this.#finished;
    this.#usage.add(event.usage, isFinal);
    if (!isFinal || this.#finished) return;
    this.#finished = true;
    this.#emit({ type: 'finish', answer: 0, finish: mapAnthropicFinish(delta) });
  }
}
