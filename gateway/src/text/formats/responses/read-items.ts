/**
 * Reads the input items of a responses request as neutral messages. The text, reasoning and calls of one turn
 * are several items here and one neutral message.
 */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { isObject, type Json, listOf, textOf } from '../../../json/read-json.ts';
import { Problem } from '../../../kernel/problem.ts';
import { readCacheMarker } from '../../cache-marker.ts';
import { readMediaUrl } from '../../read-media.ts';
import { readRefusal } from '../../read-refusal.ts';
import { cannotCarry } from '../../reject-field.ts';
import { rejectOtherFields } from '../../reject-other-fields.ts';
import type { CacheMarker, InputPart, OutputPart, Proof, TextMessage } from '../../text-call.ts';
import { imageOfItem } from './image-item.ts';
import { responsesItemFields, responsesParts } from './read-fields.ts';
import { unsealProof } from './sealed-proof.ts';
import { namespaceOf, type ToolNames } from './tool-names.ts';

export function readItems(
  input: ResponsesRequest['input'],
  call: { model: string; names: ToolNames },
): TextMessage[] {
  if (typeof input === 'string')
    return [{ role: 'user', parts: [{ type: 'text', text: input }], at: 'input' }];
  const reader = new ItemReader(call);
  for (const [i, item] of (input as readonly Json[]).entries()) reader.take(item, `input[${i}]`);
  return reader.end();
}

class ItemReader {
  readonly #model: string;
  readonly #names: ToolNames;
  readonly #messages: TextMessage[] = [];
  /** The parts of the current assistant turn. */
  #turn: OutputPart[] = [];
  /** The place of the item that was read last. */
  #at = '';
  #callProof: Proof | null = null;

  constructor({ model, names }: { model: string; names: ToolNames }) {
    this.#model = model;
    this.#names = names;
  }

  end(): TextMessage[] {
    if (this.#turn.length > 0) this.#messages.push({ role: 'assistant', parts: this.#turn, at: this.#at });
    this.#turn = [];
    return this.#messages;
  }

  take(item: Json, path: string): void {
    if (!isSpoken(item)) this.end();
    this.#at = path;
    this.#read(item, path);
  }

  #read(item: Json, path: string): void {
    if (!isAnswer(item))
      rejectOtherFields(item, responsesItemFields.get(textOf(item.type) || 'message'), {
        path,
        model: this.#model,
      });
    switch (item.type ?? 'message') {
      case 'message':
        this.#message(item, path);
        break;
      case 'reasoning':
        this.#reasoning(item);
        break;
      case 'function_call':
      case 'custom_tool_call': {
        const { call_id: id, arguments: args, input } = item;
        const called = { id: textOf(id), name: this.#nameOf(item), proof: this.#callProof };
        const said =
          item.type === 'custom_tool_call'
            ? ({ arguments: textOf(input), isText: true } as const)
            : { arguments: textOf(args) || '{}', at: `${path}.arguments` };
        this.#turn.push({ type: 'tool_call', ...called, ...said });
        this.#callProof = null;
        break;
      }
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const parts = readParts(item.output, `${path}.output`, this.#model);
        this.#messages.push({ role: 'tool', callId: textOf(item.call_id), parts, isError: false, at: path });
        break;
      }
      case 'image_generation_call': {
        const image = imageOfItem(item);
        if (image !== null) this.#turn.push({ type: 'image', ...image });
        break;
      }
      // The search results are in the message that follows.
      case 'web_search_call':
        break;
      case 'item_reference':
        throw new Problem('response_not_found', {
          detail: `${path} refers to an item that is not stored; send the item itself.`,
          param: `${path}.id`,
        });
      default:
        throw cannotCarry(`${path}.type`, this.#model);
    }
  }

  #nameOf(call: Json): string {
    const name = textOf(call.name);
    const namespace = namespaceOf(call);
    return namespace === '' ? name : this.#names.join({ namespace, name });
  }

  #message(item: Json, path: string): void {
    const place = `${path}.content`;
    if (item.role === 'assistant') {
      this.#turn.push(...readSpoken(item.content, place, this.#model));
    } else if (item.role === 'user') {
      this.#messages.push({ role: 'user', parts: readParts(item.content, place, this.#model), at: path });
    } else {
      this.#messages.push({ role: 'system', ...readPlain(item.content, place, this.#model), at: path });
    }
  }

  #reasoning(item: Json): void {
    const summary = listOf(item.summary).map((part) => textOf(part.text));
    const thoughts = summary.length > 0 ? summary : listOf(item.content).map((part) => textOf(part.text));
    const text = thoughts.join('\n\n');
    const sealed = textOf(item.encrypted_content);
    if (sealed === '') {
      if (text !== '') this.#turn.push({ type: 'reasoning', text, proof: null });
      return;
    }
    const { proof, of } = unsealProof(sealed, textOf(item.id));
    if (of === 'call') this.#callProof = proof;
    else this.#turn.push({ type: 'reasoning', text, proof });
  }
}

/** Whether it belongs to the turn of the assistant. A search belongs to none: it is left out. */
function isSpoken({ type = 'message', role }: Json): boolean {
  return type === 'message' ? role === 'assistant' : !textOf(type).endsWith('_call_output');
}

/** Words of the model. Fields that its provider added say nothing to others. */
function isAnswer({ type = 'message', role }: Json): boolean {
  return type === 'message' && role === 'assistant';
}

/** The parts become one text, which has the last marker of the parts. */
function readPlain(content: unknown, path: string, model: string): { text: string; cache?: CacheMarker } {
  const parts = readParts(content, path, model);
  const texts = parts.map((part, i) => {
    if (part.type !== 'text') throw cannotCarry(`${path}[${i}].type`, model);
    return part.text;
  });
  const cache = parts.findLast((part) => part.cache !== undefined)?.cache;
  return { text: texts.join('\n'), ...(cache !== undefined && { cache }) };
}

function readParts(content: unknown, path: string, model: string): InputPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).map((part, i) => readPart(part, `${path}[${i}]`, model));
}

function readPart(part: Json, path: string, model: string): InputPart {
  rejectOtherFields(part, responsesParts.get(textOf(part.type)), { path, model });
  return { ...readUnmarked(part, path, model), ...readCacheMarker(part) };
}

function readUnmarked(part: Json, path: string, model: string): InputPart {
  if (part.type === 'input_text') return { type: 'text', text: textOf(part.text) };
  if (part.type === 'input_image' && typeof part.image_url === 'string') {
    const source = readMediaUrl(part.image_url, `${path}.image_url`);
    return { type: 'image', source, detail: textOf(part.detail) || null };
  }
  if (part.type === 'input_file') {
    const field = typeof part.file_data === 'string' ? 'file_data' : 'file_url';
    const url = part[field];
    if (typeof url === 'string') {
      const name = textOf(part.filename) || null;
      return { type: 'file', source: readMediaUrl(url, `${path}.${field}`), name };
    }
  }
  throw cannotCarry(`${path}.type`, model);
}

function readSpoken(content: unknown, path: string, model: string): OutputPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return (Array.isArray(content) ? content.filter(isObject) : []).map((part, i) => {
    if (part.type === 'output_text') return { type: 'text', text: textOf(part.text) };
    if (part.type === 'refusal') return { type: 'refusal', text: readRefusal(part, `${path}[${i}]`) };
    throw cannotCarry(`${path}[${i}].type`, model);
  });
}
