/**
 * Relays a message stream to the caller. Events are passed on unparsed except the first, which names the
 * model, and the last: `message_delta` has the stop reason and is held back until the cost is durable.
 * `ending` writes it and `message_stop`, so a stream never succeeds without a charge.
 *
 * Frames are byte strings (one character per byte), which saves decoding what is only passed on.
 */

import { estimatedCost } from '../../../contract/cost.ts';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { type Json, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import { decodeByteString, toByteString } from '../../../kernel/byte-string.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';
import { objectData, RelayedFrames } from '../../relayed-frames.ts';
import type { StreamFault } from '../../text-event.ts';
import type { AnswerEnd, AnswerStream } from '../../text-format.ts';
import { mayBeServerTool, ServerTools } from './count-tools.ts';
import { estimateUsage } from './estimate-usage.ts';
import { StreamedUsage } from './read-usage.ts';
import { MESSAGE_STOP, MESSAGES_PING, writeMessagesEvent, writeMessagesFailure } from './write-events.ts';
import { writeMessagesUsage } from './write-usage.ts';

/** Providers send `type` first, which identifies events in a stream without `event:` lines. */
const TYPE = /"type"\s*:\s*"(\w+)"/;

export class MessagesStreamRelay implements AnswerStream {
  readonly #context: { readonly model: string; readonly request: MessagesRequest };
  #held: Json | null = null;
  #done = false;
  readonly #usage = new StreamedUsage();
  readonly #passed = new RelayedFrames();
  readonly #tools = new ServerTools();
  fault: StreamFault | null = null;

  constructor(context: { model: string; request: MessagesRequest }) {
    this.#context = context;
  }

  /** What to send for a frame; empty when it is held back or invalid. */
  frame(frameData: string, event: string): string {
    if (this.#done || this.fault !== null) return '';
    const data = objectData(frameData);
    if (data === null) return this.#broken();
    const type = event === '' || event === 'message' ? (TYPE.exec(data)?.[1] ?? '') : event;
    switch (type) {
      case 'message_start':
      case 'message_delta':
      case 'error':
        return this.#notable(type, data);
      case 'message_stop':
        this.#done = true;
        return '';
      case '':
        return this.#broken();
      case 'content_block_start':
        if (mayBeServerTool(data))
          this.#tools.add(objectOf(parseObject(decodeByteString(data))?.content_block));
        return this.#pass(type, data);
      default:
        return this.#pass(type, data);
    }
  }

  /** True when the answer is complete. */
  get complete(): boolean {
    return this.fault === null && this.#held !== null;
  }

  get finishReason(): string | null {
    return textOf(objectOf(this.#held?.delta).stop_reason) || null;
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

  produced(): { texts: string[]; restCharacters: number } {
    return this.#passed.produced((data) => producedTexts(parseObject(decodeByteString(data))));
  }

  /** The last events: the stop reason with usage and cost, and the end marker. */
  ending({ usage, cost }: AnswerEnd): string {
    const counted = usage === null ? {} : writeMessagesUsage(usage);
    const provided = this.usage === null ? {} : objectOf(this.#usage.finalJson);
    const last = {
      ...this.#held,
      usage: { ...counted, ...provided },
      ...(cost !== null && { estimated_cost: estimatedCost(cost) }),
    };
    return toByteString(writeMessagesEvent('message_delta', last)) + MESSAGE_STOP;
  }

  keepAlive(): string {
    return MESSAGES_PING;
  }

  failure(problem: Problem, errorRef: string): string {
    return toByteString(writeMessagesFailure(problem, errorRef));
  }

  #pass(type: string, data: string): string {
    if (type !== 'ping') this.#passed.add(data);
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  #notable(type: string, data: string): string {
    const json = parseObject(decodeByteString(data));
    if (json === null) return this.#broken();
    if (type === 'error') {
      this.fault = { reason: 'provider_error', error: json.error };
      return '';
    }
    return type === 'message_start' ? this.#start(json) : this.#delta(json);
  }

  #start(json: Json): string {
    const { model, request } = this.#context;
    const message = objectOf(json.message);
    // Clients merge the final counts into those of `message_start` without checking that they exist.
    const usage = message.usage ?? writeMessagesUsage(estimateUsage(request));
    this.#usage.start(message.usage);
    return toByteString(
      writeMessagesEvent('message_start', { ...json, message: { ...message, model, usage } }),
    );
  }

  /** A `message_delta` without a stop reason only reports progress; there may be several. */
  #delta(json: Json): string {
    const delta = objectOf(json.delta);
    const stops = typeof delta.stop_reason === 'string';
    const isFinal = stops || this.#held !== null;
    this.#usage.add(json.usage, isFinal);
    if (!isFinal) return toByteString(writeMessagesEvent('message_delta', json));
    const changed = Object.entries(delta).filter(([, value]) => value !== null);
    const before = this.#held === null ? delta : objectOf(this.#held.delta);
    this.#held = { ...this.#held, ...json, delta: { ...before, ...Object.fromEntries(changed) } };
    return '';
  }

  #broken(): string {
    this.fault = { reason: 'invalid_frame', error: null };
    return '';
  }
}

function producedTexts(event: Json | null): string[] {
  const delta = objectOf(event?.delta);
  const block = objectOf(event?.content_block);
  const texts = [delta.text, delta.thinking, delta.partial_json, block.name, block.text];
  return texts.map(textOf).filter((text) => text !== '');
}
