/** Writes a drafted response as the events of a stream. */
import type { Usage } from '../brain/prompt.ts';
import type { Json } from '../json.ts';
import { cutEvery, cutInto } from '../pieces.ts';
import type { Refusal } from '../refusal.ts';
import type { Frame } from '../script.ts';
import { type Draft, type Item, type Part, writeEnd, writeState } from './write-responses.ts';

const CHARACTERS_PER_CHUNK = 4;
const CHARACTERS_PER_FRAGMENT = 8;

type ItemOf<Type extends Item['type']> = Extract<Item, { type: Type }>;

/** Its place in the stream is not known to it, so it tells none but the first. */
export function writeErrorEvent(refusal: Refusal): string {
  const { message, param } = refusal;
  return writeEvent('error', 0, { code: refusal.code ?? refusal.type, message, param });
}

export class ResponsesStreamWriter {
  readonly #draft: Draft;
  readonly #chunks: number | null;
  readonly #texts: string[] = [];
  /** Which of the texts hold a piece of the answer itself; thoughts are no answer. */
  readonly #pieces: number[] = [];

  constructor(draft: Draft, chunks: number | null) {
    this.#draft = draft;
    this.#chunks = chunks;
  }

  writeFrames(usage: Usage | null): Frame[] {
    const begun = writeState(this.#draft, {});
    this.#push('response.created', { response: begun });
    this.#push('response.in_progress', { response: begun });
    for (const [index, item] of this.#draft.items.entries()) this.#writeItem(item, index);
    const { status } = this.#draft.ending;
    // What fails does so in the midst of the answer.
    if (status === 'failed') this.#texts.length = this.#pieces[this.#pieces.length >> 1] ?? 2;
    this.#push(`response.${status}`, { response: writeEnd(this.#draft, usage) });
    const first = this.#pieces[0] ?? this.#texts.length - 1;
    const last = Math.min(this.#pieces.at(-1) ?? first - 1, this.#texts.length - 2);
    return this.#texts.map((text, place) => ({
      kind: place < first ? 'start' : place > last ? 'finish' : 'content',
      text,
    }));
  }

  /** One more piece of the item that the answer begins with, as if it came first. */
  contentFrame(delta: string): string {
    const { items } = this.#draft;
    const index = items.findIndex((item) => item.type === 'message' || item.type === 'function_call');
    const at = { item_id: items[index]?.id ?? '', output_index: Math.max(0, index) };
    const frames = new ResponsesStreamWriter(this.#draft, 1).writeFrames(null);
    const place = frames.filter((frame) => frame.kind === 'start').length;
    return items[index]?.type === 'function_call'
      ? writeEvent('response.function_call_arguments.delta', place, { ...at, delta })
      : writeEvent('response.output_text.delta', place, { ...at, content_index: 0, delta, logprobs: [] });
  }

  #writeItem(item: Item, index: number): void {
    this.#push('response.output_item.added', { output_index: index, item: begin(item) });
    const at = { item_id: item.id, output_index: index };
    if (item.type === 'reasoning') this.#writeSummary(item, at);
    else if (item.type === 'message') this.#writeMessage(item, at);
    else if (item.type === 'function_call') this.#writeCall(item, at);
    else if (item.type === 'custom_tool_call') this.#writeCustom(item, at);
    else {
      const working = item.type === 'web_search_call' ? 'searching' : 'generating';
      for (const phase of ['in_progress', working, 'completed']) {
        this.#push(`response.${item.type}.${phase}`, at);
      }
    }
    this.#push('response.output_item.done', { output_index: index, item });
  }

  #writeSummary(item: ItemOf<'reasoning'>, at: Json): void {
    item.summary.forEach((part, place) => {
      const here = { ...at, summary_index: place };
      this.#push('response.reasoning_summary_part.added', { ...here, part: { ...part, text: '' } });
      for (const delta of cutEvery(part.text, CHARACTERS_PER_CHUNK)) {
        this.#push('response.reasoning_summary_text.delta', { ...here, delta });
      }
      this.#push('response.reasoning_summary_text.done', { ...here, text: part.text });
      this.#push('response.reasoning_summary_part.done', { ...here, part });
    });
  }

  #writeMessage(item: ItemOf<'message'>, at: Json): void {
    item.content.forEach((part, place) => {
      const here = { ...at, content_index: place };
      this.#push('response.content_part.added', { ...here, part: emptied(part) });
      if (part.type === 'refusal') this.#writeRefusal(part.refusal, here);
      else this.#writeText(part.text, here);
      this.#push('response.content_part.done', { ...here, part });
    });
  }

  #writeText(text: string, here: Json): void {
    const pieces = this.#chunks === null ? cutEvery(text, CHARACTERS_PER_CHUNK) : cutInto(text, this.#chunks);
    for (const delta of pieces) {
      this.#pushPiece('response.output_text.delta', { ...here, delta, logprobs: [] });
    }
    this.#push('response.output_text.done', { ...here, text, logprobs: [] });
  }

  #writeRefusal(refusal: string, here: Json): void {
    for (const delta of cutEvery(refusal, CHARACTERS_PER_CHUNK)) {
      this.#pushPiece('response.refusal.delta', { ...here, delta });
    }
    this.#push('response.refusal.done', { ...here, refusal });
  }

  #writeCall(item: ItemOf<'function_call'>, at: Json): void {
    const count = Math.max(2, Math.ceil(item.arguments.length / CHARACTERS_PER_FRAGMENT));
    for (const delta of cutInto(item.arguments, count)) {
      this.#pushPiece('response.function_call_arguments.delta', { ...at, delta });
    }
    const { name } = item;
    this.#push('response.function_call_arguments.done', { ...at, name, arguments: item.arguments });
  }

  #writeCustom({ input }: ItemOf<'custom_tool_call'>, at: Json): void {
    const count = Math.max(2, Math.ceil(input.length / CHARACTERS_PER_FRAGMENT));
    for (const delta of cutInto(input, count))
      this.#pushPiece('response.custom_tool_call_input.delta', { ...at, delta });
    this.#push('response.custom_tool_call_input.done', { ...at, input });
  }

  #pushPiece(type: string, fields: Json): void {
    this.#pieces.push(this.#texts.length);
    this.#push(type, fields);
  }

  #push(type: string, fields: Json): void {
    this.#texts.push(writeEvent(type, this.#texts.length, fields));
  }
}

function writeEvent(type: string, sequence: number, fields: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`;
}

/** An item when it is announced: its frame without its content. */
function begin(item: Item): Item {
  const status = 'in_progress';
  if (item.type === 'reasoning') return { type: item.type, id: item.id, summary: [] };
  if (item.type === 'message') return { ...item, status, content: [] };
  if (item.type === 'function_call') return { ...item, status, arguments: '' };
  if (item.type === 'custom_tool_call') return { ...item, status, input: '' };
  return item.type === 'web_search_call' ? { ...item, status } : { ...item, status, result: null };
}

function emptied(part: Part): Part {
  return part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '' };
}
