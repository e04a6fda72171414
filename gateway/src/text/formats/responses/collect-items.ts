/**
 * Collects the events of an answer into output items. Whole answers and streams both pass through here, so
 * the same answer has the same items in both.
 */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { partId } from '../../answer-ids.ts';
import type { TextEvent } from '../../text-event.ts';
import type { AnswerContext } from '../../text-format.ts';
import type { FinishReason } from '../../text-result.ts';
import { imageItem } from './image-item.ts';
import type {
  ContentPart,
  CustomCallItem,
  FunctionCallItem,
  ItemStatus,
  MessageItem,
  OutputItem,
  ReasoningItem,
} from './output-items.ts';
import { sealProof } from './sealed-proof.ts';
import { type ToolNames, toolNames } from './tool-names.ts';

/**
 * Callbacks for changes to an item. A part belongs to a message or a summary; the arguments of a call count
 * as its only part.
 */
export type ItemStep =
  | { readonly type: 'item_added' | 'part_added' | 'part_done' | 'item_done'; readonly index: number }
  | { readonly type: 'text'; readonly index: number; readonly text: string };

export class ItemCollector {
  readonly items: OutputItem[] = [];
  readonly #callId: string;
  readonly #names: ToolNames;
  readonly #onStep: (step: ItemStep) => void;
  readonly #open = new Set<number>();
  /** The output index of each tool call; their arguments may be interleaved. */
  readonly #calls = new Map<number, number>();
  /** The message or reasoning item that the next text belongs to. */
  #speaking: number | null = null;
  #touched = -1;

  constructor(
    { callId, request }: Pick<AnswerContext<ResponsesRequest>, 'callId' | 'request'>,
    onStep: (step: ItemStep) => void = () => undefined,
  ) {
    this.#callId = callId;
    this.#names = toolNames(request);
    this.#onStep = onStep;
  }

  take(event: TextEvent): void {
    switch (event.type) {
      case 'text':
        this.#say({ type: 'output_text', annotations: [], logprobs: [], text: '' }, event.text);
        break;
      case 'refusal':
        this.#say({ type: 'refusal', refusal: '' }, event.text);
        break;
      case 'reasoning':
        this.#think(event.text);
        break;
      case 'reasoning_proof':
        this.#prove(sealProof(event.proof, 'reasoning'));
        break;
      case 'tool_call':
        this.#call(event);
        break;
      case 'tool_arguments': {
        const index = this.#calls.get(event.call);
        if (index !== undefined) this.#argue(index, event.text);
        break;
      }
      case 'image': {
        this.#closeSpeaking();
        const index = this.items.length;
        const whole = imageItem(partId('ig', this.#callId, index), event);
        this.#add({ ...whole, status: 'in_progress', result: null });
        this.items[index] = whole;
        this.#close(index, 'completed');
        break;
      }
      case 'finish':
        this.#finish(event.finish.reason);
        break;
    }
  }

  /** The items of an answer that broke off; unfinished items are marked incomplete. */
  abandon(): readonly OutputItem[] {
    for (const index of this.#open) {
      const item = this.items[index];
      if (item !== undefined && 'status' in item && item.type !== 'image_generation_call')
        item.status = 'incomplete';
    }
    return this.items;
  }

  #say(empty: ContentPart, text: string): void {
    const index = this.#speakIn('message');
    const { content } = this.items[index] as MessageItem;
    if (content.at(-1)?.type !== empty.type) {
      if (content.length > 0) this.#onStep({ type: 'part_done', index });
      content.push(empty);
      this.#onStep({ type: 'part_added', index });
    }
    const part = content.at(-1) as ContentPart;
    if (part.type === 'refusal') part.refusal += text;
    else part.text += text;
    this.#touch(index, text);
  }

  #think(text: string): void {
    const index = this.#speakIn('reasoning');
    const { summary } = this.items[index] as ReasoningItem;
    if (summary.length === 0) {
      summary.push({ type: 'summary_text', text: '' });
      this.#onStep({ type: 'part_added', index });
    }
    const part = summary[0] as ReasoningItem['summary'][number];
    part.text += text;
    this.#touch(index, text);
  }

  #prove(sealed: string): void {
    const index = this.#speakIn('reasoning');
    (this.items[index] as ReasoningItem).encrypted_content = sealed;
    this.#closeSpeaking();
  }

  #call(event: Extract<TextEvent, { type: 'tool_call' }>): void {
    this.#closeSpeaking();
    if (event.proof !== null) this.#prove(sealProof(event.proof, 'call'));
    const index = this.items.length;
    this.#calls.set(event.call, index);
    const called = {
      status: 'in_progress' as const,
      // Some servers send no call ids, but results need them.
      call_id: event.id || partId('call', this.#callId, index),
      ...(this.#names.split(event.name) ?? { name: event.name }),
    };
    const id = (prefix: string): string => partId(prefix, this.#callId, index);
    if (event.isText) this.#add({ id: id('ctc'), type: 'custom_tool_call', ...called, input: '' });
    else this.#add({ id: id('fc'), type: 'function_call', ...called, arguments: '' });
    this.#touched = index;
  }

  #argue(index: number, text: string): void {
    const item = this.items[index] as FunctionCallItem | CustomCallItem;
    if (item.type === 'custom_tool_call') item.input += text;
    else item.arguments += text;
    this.#touch(index, text);
  }

  #finish(reason: FinishReason): void {
    const cut = reason === 'length' || reason === 'content_filter';
    // Clients expect a message in a successful answer.
    if (this.items.length === 0 && !cut)
      this.#say({ type: 'output_text', annotations: [], logprobs: [], text: '' }, '');
    for (const index of [...this.#open].sort((a, b) => a - b)) {
      this.#close(index, cut && index === this.#touched ? 'incomplete' : 'completed');
    }
    this.#speaking = null;
  }

  /** The item that text of this kind continues; a new one if the last text was of another kind. */
  #speakIn(type: 'message' | 'reasoning'): number {
    if (this.#speaking !== null && this.items[this.#speaking]?.type === type) return this.#speaking;
    this.#closeSpeaking();
    const index = this.items.length;
    if (type === 'message') {
      const id = partId('msg', this.#callId, index);
      this.#add({ id, type, status: 'in_progress', role: 'assistant', content: [] });
    } else this.#add({ id: partId('rs', this.#callId, index), type, summary: [] });
    this.#speaking = index;
    return index;
  }

  #add(item: OutputItem): void {
    const index = this.items.push(item) - 1;
    this.#open.add(index);
    this.#onStep({ type: 'item_added', index });
  }

  #touch(index: number, text: string): void {
    this.#touched = index;
    if (text !== '') this.#onStep({ type: 'text', index, text });
  }

  #closeSpeaking(): void {
    if (this.#speaking !== null) this.#close(this.#speaking, 'completed');
    this.#speaking = null;
  }

  #close(index: number, status: ItemStatus): void {
    const item = this.items[index] as OutputItem;
    // A call without arguments: clients expect valid JSON.
    if (item.type === 'function_call' && item.arguments === '' && status === 'completed')
      this.#argue(index, '{}');
    if (hasPart(item)) this.#onStep({ type: 'part_done', index });
    if (item.type !== 'reasoning' && item.type !== 'image_generation_call') item.status = status;
    this.#open.delete(index);
    this.#onStep({ type: 'item_done', index });
  }
}

function hasPart(item: OutputItem): boolean {
  if (item.type === 'message') return item.content.length > 0;
  if (item.type === 'reasoning') return item.summary.length > 0;
  return item.type === 'function_call' || item.type === 'custom_tool_call';
}
