/** Reads the events of a Converse stream. Pure. */

import { isObject, type Json, objectOf, parseObject, textOf } from '../../json/read-json.ts';
import type { Usage, UsageDetails } from '../../pricing/usage.ts';
import type { OnTextEvent, StreamFault, TextStreamReader } from '../../text/text-event.ts';
import type { AnswerReading } from '../provider.ts';
import { EXCEPTION } from './event-stream.ts';
import { mapBedrockFinish } from './map-finish-reason.ts';
import { readBedrockUsage, seenBedrockDetails } from './read-usage.ts';
import { readBedrockProof } from './reasoning-proof.ts';

/** Converse gives one answer. */
const answer = 0;

export class BedrockStreamReader implements TextStreamReader {
  readonly #mayCallTools: boolean;
  readonly #emit: OnTextEvent;
  /** Tool calls by block index, and whether their arguments have started. */
  readonly #calls = new Map<unknown, { call: number; hasArguments: boolean }>();
  #finished = false;
  #metadata: Json | null = null;
  fault: StreamFault | null = null;

  constructor({ mayCallTools }: Pick<AnswerReading, 'mayCallTools'>, emit: OnTextEvent) {
    this.#mayCallTools = mayCallTools;
    this.#emit = emit;
  }

  get complete(): boolean {
    return this.fault === null && this.#finished;
  }

  /** The counts come after the end of the message. */
  get usage(): Usage | null {
    return readBedrockUsage(this.#metadata);
  }

  get seenDetails(): UsageDetails | undefined {
    return seenBedrockDetails(this.#metadata);
  }

  frame(data: string, event: string): void {
    if (this.fault !== null) return;
    const json = parseObject(data);
    if (event.startsWith(EXCEPTION)) {
      const type = event.slice(EXCEPTION.length);
      this.fault = { reason: 'provider_error', error: { type, message: textOf(json?.message) } };
    } else if (json === null) {
      this.fault = { reason: 'invalid_frame', error: null };
    } else if (event === 'metadata') {
      this.#metadata = json;
    } else if (!this.#finished) {
      this.#event(event, json);
    }
  }

  #event(event: string, json: Json): void {
    const at = json.contentBlockIndex;
    if (event === 'contentBlockStart') this.#start(at, objectOf(json.start));
    else if (event === 'contentBlockDelta') this.#delta(at, objectOf(json.delta));
    else if (event === 'contentBlockStop') this.#stop(at);
    else if (event === 'messageStop') {
      this.#finished = true;
      this.#emit({ type: 'finish', answer, finish: mapBedrockFinish(json, this.#mayCallTools) });
    }
  }

  #start(at: unknown, { toolUse }: Json): void {
    if (!isObject(toolUse) || !this.#mayCallTools) return;
    const call = this.#calls.size;
    this.#calls.set(at, { call, hasArguments: false });
    const { toolUseId, name } = toolUse;
    this.#emit({ type: 'tool_call', answer, call, id: textOf(toolUseId), name: textOf(name), proof: null });
  }

  #delta(at: unknown, delta: Json): void {
    const text = textOf(delta.text);
    if (text !== '') this.#emit({ type: 'text', answer, text });
    if (isObject(delta.reasoningContent)) this.#reasoning(delta.reasoningContent);
    const piece = textOf(objectOf(delta.toolUse).input);
    const known = this.#calls.get(at);
    if (piece === '' || known === undefined) return;
    known.hasArguments = true;
    this.#emit({ type: 'tool_arguments', answer, call: known.call, text: piece });
  }

  #reasoning({ text, signature, redactedContent }: Json): void {
    if (textOf(text) !== '') this.#emit({ type: 'reasoning', answer, text: textOf(text) });
    const proof = readBedrockProof(signature, redactedContent);
    if (proof !== null) this.#emit({ type: 'reasoning_proof', answer, proof });
  }

  /** A call without arguments has no delta, but clients expect valid JSON. */
  #stop(at: unknown): void {
    const known = this.#calls.get(at);
    if (known === undefined || known.hasArguments) return;
    known.hasArguments = true;
    this.#emit({ type: 'tool_arguments', answer, call: known.call, text: '{}' });
  }
}
