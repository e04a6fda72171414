/**
 * Writes neutral events as a message stream. Blocks follow one another, as clients expect, except tool calls
 * whose arguments are interleaved: each stays open under its index until its arguments are complete or the
 * answer ends.
 */
import { estimatedCost } from '../../../contract/cost.ts';
import type { MessagesRequest } from '../../../contract/messages.ts';
import { JsonEndFinder } from '../../../json/find-json-end.ts';
import type { Problem } from '../../../kernel/problem.ts';
import type { Proof } from '../../text-call.ts';
import type { TextEvent } from '../../text-event.ts';
import type { AnswerContext, AnswerEnd, TextStreamWriter } from '../../text-format.ts';
import type { Finish } from '../../text-result.ts';
import { estimateUsage } from './estimate-usage.ts';
import { stopReasonOf } from './stop-reasons.ts';
import { emptyMessage } from './write-answer.ts';
import { MESSAGE_STOP, MESSAGES_PING, writeMessagesEvent, writeMessagesFailure } from './write-events.ts';
import { signatureOf, writeCallProof, writeThinking } from './write-thinking.ts';
import { writeMessagesTier, writeMessagesUsage } from './write-usage.ts';

interface OpenCall {
  readonly index: number;
  readonly end: JsonEndFinder;
}

export class MessagesStreamWriter implements TextStreamWriter {
  readonly #context: AnswerContext<MessagesRequest>;
  #begun = false;
  #nextIndex = 0;
  /** The open block of text or reasoning, if any. */
  #words: { readonly kind: 'text' | 'thinking'; readonly index: number } | null = null;
  /** The open tool calls, by call number. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #produced = { calls: false, refusal: false };
  #finish: Finish | null = null;

  constructor(context: AnswerContext<MessagesRequest>) {
    this.#context = context;
  }

  event(event: TextEvent): string {
    // The format has one answer and no images.
    if (event.type === 'image' || event.answer > 0) return '';
    return this.#begin() + this.#write(event);
  }

  ending({ usage: counted, cost }: AnswerEnd): string {
    // Clients read the usage without checking that it exists.
    const usage = counted ?? estimateUsage(this.#context.request);
    const { reason, stopSequence } = this.#finish ?? { reason: 'stop', stopSequence: null };
    const last = writeMessagesEvent('message_delta', {
      type: 'message_delta',
      delta: { stop_reason: stopReasonOf(reason, this.#produced), stop_sequence: stopSequence },
      usage: { ...writeMessagesUsage(usage), ...writeMessagesTier(usage) },
      ...(cost !== null && { estimated_cost: estimatedCost(cost) }),
    });
    return this.#begin() + this.#closeAll() + last + MESSAGE_STOP;
  }

  keepAlive(): string {
    return MESSAGES_PING;
  }

  failure(problem: Problem, errorRef: string): string {
    return writeMessagesFailure(problem, errorRef);
  }

  #write(event: Exclude<TextEvent, { type: 'image' }>): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
        this.#produced.refusal ||= event.type === 'refusal';
        return this.#say('text', `{"type":"text_delta","text":${JSON.stringify(event.text)}}`);
      case 'reasoning':
        return this.#say('thinking', `{"type":"thinking_delta","thinking":${JSON.stringify(event.text)}}`);
      case 'reasoning_proof':
        return this.#prove(event.proof);
      case 'tool_call':
        return this.#call(event);
      case 'tool_arguments':
        return this.#argue(event.call, event.text);
      case 'finish':
        this.#finish = event.finish;
        return this.#closeAll();
    }
  }

  #begin(): string {
    if (this.#begun) return '';
    this.#begun = true;
    // The final counts and the tier are in the last event.
    const usage = { ...writeMessagesUsage(estimateUsage(this.#context.request)), service_tier: null };
    return writeMessagesEvent('message_start', {
      type: 'message_start',
      message: { ...emptyMessage(this.#context), usage },
    });
  }

  #say(kind: 'text' | 'thinking', delta: string): string {
    const begun = this.#words?.kind === kind ? '' : this.#closeWords() + this.#openWords(kind);
    return begun + writeDelta(this.#words?.index ?? 0, delta);
  }

  #openWords(kind: 'text' | 'thinking'): string {
    const index = this.#nextIndex++;
    this.#words = { kind, index };
    return writeStart(index, kind === 'text' ? emptyText : emptyThinking);
  }

  #closeWords(): string {
    const words = this.#words;
    this.#words = null;
    return words === null ? '' : writeStop(words.index);
  }

  #prove(proof: Proof): string {
    if (this.#words?.kind === 'thinking') {
      const signature = JSON.stringify(signatureOf(proof));
      const signed = writeDelta(this.#words.index, `{"type":"signature_delta","signature":${signature}}`);
      return signed + this.#closeWords();
    }
    const index = this.#nextIndex++;
    return this.#closeWords() + writeWhole(index, writeThinking({ text: '', proof }));
  }

  #call({ call, id, name, proof }: Extract<TextEvent, { type: 'tool_call' }>): string {
    this.#produced.calls = true;
    const proofs = writeCallProof(proof).map((block) => writeWhole(this.#nextIndex++, block));
    const index = this.#nextIndex++;
    this.#calls.set(call, { index, end: new JsonEndFinder() });
    const begun = writeStart(index, { type: 'tool_use', id, name, input: {} });
    return this.#closeWords() + proofs.join('') + begun;
  }

  #argue(call: number, text: string): string {
    const open = this.#calls.get(call);
    if (open === undefined) return '';
    const delta = writeDelta(
      open.index,
      `{"type":"input_json_delta","partial_json":${JSON.stringify(text)}}`,
    );
    open.end.push(text);
    if (!open.end.reached) return delta;
    // Only whitespace can follow, so the client may run the call while the answer continues.
    this.#calls.delete(call);
    return delta + writeStop(open.index);
  }

  #closeAll(): string {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    return this.#closeWords() + calls.map(({ index }) => writeStop(index)).join('');
  }
}

const emptyText = { type: 'text', text: '' };
const emptyThinking = { type: 'thinking', thinking: '', signature: '' };

function writeStart(index: number, block: object): string {
  return writeMessagesEvent('content_block_start', {
    type: 'content_block_start',
    index,
    content_block: block,
  });
}

function writeDelta(index: number, delta: string): string {
  return (
    'event: content_block_delta\n' +
    `data: {"type":"content_block_delta","index":${index},"delta":${delta}}\n\n`
  );
}

function writeStop(index: number): string {
  return writeMessagesEvent('content_block_stop', { type: 'content_block_stop', index });
}

/** Writes a complete block; one without deltas starts complete. */
function writeWhole(index: number, block: Record<string, string>): string {
  if (block.type !== 'thinking') return writeStart(index, block) + writeStop(index);
  const delta = writeDelta(index, JSON.stringify({ type: 'signature_delta', signature: block.signature }));
  return writeStart(index, emptyThinking) + delta + writeStop(index);
}
