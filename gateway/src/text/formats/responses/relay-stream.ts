/**
 * Relays a responses stream to the caller. Frames are passed on unparsed except those with the response
 * object: they get our id and model code, and the one that ends the stream is held back until the cost is
 * durable.
 *
 * Frames are byte strings (one character per byte), which saves decoding what is only passed on.
 */

import { estimatedCost } from '../../../contract/cost.ts';
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { replaceFields } from '../../../json/edit-fields.ts';
import { locateFields } from '../../../json/parse-json.ts';
import { isObject, type Json, listOf, objectOf, parseObject, textOf } from '../../../json/read-json.ts';
import { decodeByteString, toByteString } from '../../../kernel/byte-string.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Usage, UsageDetails } from '../../../pricing/usage.ts';
import { UNCOUNTED_TOOLS } from '../../../pricing/usage-details.ts';
import { objectData, RelayedFrames } from '../../relayed-frames.ts';
import type { StreamFault } from '../../text-event.ts';
import type { AnswerContext, AnswerEnd, AnswerHead, AnswerStream } from '../../text-format.ts';
import { mayBeHostedTool } from './count-tools.ts';
import { readResponsesUsage, seenResponsesDetails } from './read-usage.ts';
import { readEndReason, relayedHead, shownFields } from './relay-response.ts';
import { writeFailure, writeKeepAlive, writeResponse } from './write-response.ts';
import { writeResponsesUsage } from './write-usage.ts';

/** Finished items, for providers whose last event does not repeat them. */
const ITEM_CHARACTERS_MAX = 64 * 1024 * 1024;
const SEQUENCE = /"sequence_number"\s*:\s*(\d+)/;

export class ResponsesStreamRelay implements AnswerStream {
  readonly #context: AnswerContext<ResponsesRequest>;
  readonly #deltas = new RelayedFrames();
  readonly #items: string[] = [];
  /** Items of tools that have begun. */
  readonly #begun: string[] = [];
  #itemCharacters = 0;
  /** The last frame that was sent. */
  #passed = '';
  #held: { type: string; data: string; response: Json } | null = null;
  /** The response of the last event. */
  #end: Json | null = null;
  finishReason: string | null = null;
  fault: StreamFault | null = null;

  constructor(context: AnswerContext<ResponsesRequest>) {
    this.#context = context;
  }

  frame(frameData: string, event: string): string {
    if (this.#held !== null || this.fault !== null) return '';
    const data = objectData(frameData);
    if (data === null) return this.#invalid();
    const type = event === '' ? textOf(parseObject(decodeByteString(data))?.type) : event;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        return this.#pass(type, showResponse(data, shownFields(this.#context)));
      case 'response.completed':
      case 'response.incomplete':
        return this.#hold(type, data);
      case 'response.failed':
      case 'error':
        return this.#fail(data);
      default:
        // Other frames are not part of the answer. Keep-alives are written by the gateway itself.
        if (!type.startsWith('response.')) return '';
        this.#keep(type, data);
        return this.#pass(type, data);
    }
  }

  get complete(): boolean {
    return this.fault === null && this.#held !== null;
  }

  get usage(): Usage | null {
    return readResponsesUsage(this.#end, this.#hosted());
  }

  get seenDetails(): UsageDetails | undefined {
    if (this.#itemCharacters > ITEM_CHARACTERS_MAX) return { unknown: UNCOUNTED_TOOLS };
    const done = this.#hosted() ?? listOf(this.#end?.output);
    const ids = done.map(({ id }) => id);
    // A tool that had begun when the stream broke may have run.
    const begun = this.#begun.map(itemOf).filter(({ id }) => !ids.includes(id));
    return seenResponsesDetails(this.#end, [...done, ...begun]);
  }

  produced(): { texts: string[]; restCharacters: number } {
    return this.#deltas.produced((data) => {
      const text = textOf(parseObject(decodeByteString(data))?.delta);
      return text === '' ? [] : [text];
    });
  }

  /** The event that ends the stream, with the cost. */
  ending({ usage, cost, kept }: AnswerEnd): string {
    if (this.#held === null) return '';
    const { type, data } = this.#held;
    const changes = shownFields(this.#context, kept);
    if (this.usage === null && usage !== null) changes.usage = JSON.stringify(writeResponsesUsage(usage));
    if (cost !== null) changes.estimated_cost = JSON.stringify(estimatedCost(cost));
    return frameOf(type, showResponse(data, changes));
  }

  failure(problem: Problem, errorRef: string): string {
    const { type, fields } = writeFailure(this.#context, { problem, errorRef, output: this.output() });
    const last = this.#lastSequence();
    if (last !== null) return writeFrame(type, last + 1, fields);
    const response = writeResponse(this.#context, { status: 'in_progress', output: [] });
    return writeFrame('response.created', 0, { response }) + writeFrame(type, 1, fields);
  }

  keepAlive(): string {
    const last = this.#lastSequence();
    return last === null ? '' : writeKeepAlive(last);
  }

  #lastSequence(): number | null {
    const last = SEQUENCE.exec(this.#passed)?.[1];
    return last === undefined ? null : Number(last);
  }

  output(): readonly unknown[] {
    const output = listOf(this.#held?.response.output);
    if (output.length > 0) return output;
    return this.#items.map(itemOf);
  }

  /** The items of tools if the last event does not repeat them; undefined if it does. */
  #hosted(): Json[] | undefined {
    if (listOf(this.#end?.output).length > 0) return undefined;
    return this.#items.filter(mayBeHostedTool).map(itemOf);
  }

  head(counted: Usage): AnswerHead {
    return relayedHead(this.#held?.response ?? {}, this.#context, counted);
  }

  #pass(type: string, data: string): string {
    this.#passed = data;
    return frameOf(type, data);
  }

  #hold(type: string, data: string): string {
    const response = parseObject(decodeByteString(data))?.response;
    if (!isObject(response)) return this.#invalid();
    this.#held = { type, data, response };
    this.#end = response;
    this.finishReason = readEndReason(response);
    return '';
  }

  /** The provider's error is for the call record; `failure` writes the one for the caller. */
  #fail(data: string): string {
    const json = parseObject(decodeByteString(data)) ?? {};
    const response = objectOf(json.response);
    this.#end = response;
    this.fault = { reason: 'provider_error', error: response.error ?? json.error ?? json };
    return '';
  }

  #invalid(): string {
    this.fault = { reason: 'invalid_frame', error: null };
    return '';
  }

  #keep(type: string, data: string): void {
    if (type.endsWith('.delta')) this.#deltas.add(data);
    else if (type === 'response.output_item.done') {
      this.#itemCharacters += data.length;
      if (this.#itemCharacters <= ITEM_CHARACTERS_MAX) this.#items.push(data);
    } else if (type === 'response.output_item.added' && mayBeHostedTool(data)) this.#begun.push(data);
  }
}

function itemOf(data: string): Json {
  return objectOf(parseObject(decodeByteString(data))?.item);
}

/** The event with some fields of its response replaced and all other bytes unchanged. */
function showResponse(data: string, changes: Readonly<Record<string, string>>): string {
  const bytes = Buffer.from(data, 'latin1');
  const range = locateFields(bytes).get('response');
  if (range === undefined) return data;
  const inner = bytes.subarray(range.start, range.end);
  const shown = replaceFields({ bytes: inner, fields: locateFields(inner) }, changes);
  return data.slice(0, range.start) + shown.toString('latin1') + data.slice(range.end);
}

function writeFrame(type: string, sequence: number, fields: Record<string, unknown>): string {
  return frameOf(type, toByteString(JSON.stringify({ type, sequence_number: sequence, ...fields })));
}

function frameOf(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}
