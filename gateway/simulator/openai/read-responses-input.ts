/** Reads the input of a Responses request: a text, or items that tell a conversation. */
import type { ModelTraits } from '../brain/models.ts';
import type { SeenImage, Turn } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { Refusal } from '../refusal.ts';
import { readTurns } from './read-messages.ts';
import { missing, unsupportedImage, wrongType } from './refusals.ts';
import {
  callWithoutOutput,
  outputWithoutCall,
  unknownFile,
  unknownItem,
  unsupportedValue,
  unverifiedContent,
} from './responses-refusals.ts';
import { isSealed } from './seal-reasoning.ts';

const ROLES: ReadonlyMap<unknown, Turn['role']> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
]);
const ITEM_TYPES = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'web_search_call',
  'image_generation_call',
  'item_reference',
];
/** A model's own words come back under other names than a user's. */
const ASSISTANT_PARTS = ['output_text', 'refusal'];
const OTHER_PARTS = ['input_text', 'input_image', 'input_file'];

export function readInput(input: unknown, traits: ModelTraits): readonly Turn[] {
  if (input == null) throw missing('input');
  if (typeof input === 'string') return [plainTurn('user', input)];
  if (!Array.isArray(input)) throw wrongType('input', 'one of a string or array of items');
  if (input.length === 0) {
    throw new Refusal(
      400,
      "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { param: 'input', code: 'empty_array' },
    );
  }
  const reader = new ItemReader(traits);
  for (const [index, item] of input.entries()) reader.read(record(item), `input[${index}]`);
  return reader.finish();
}

function plainTurn(role: Turn['role'], text: string): Turn {
  return { role, text, images: [], toolCalls: [] };
}

class ItemReader {
  readonly #traits: ModelTraits;
  readonly #turns: Turn[] = [];
  /** The type of each call, by its id. */
  readonly #called = new Map<string, string>();
  readonly #answered = new Set<string>();

  constructor(traits: ModelTraits) {
    this.#traits = traits;
  }

  finish(): readonly Turn[] {
    for (const id of this.#called.keys()) if (!this.#answered.has(id)) throw callWithoutOutput(id);
    return this.#turns;
  }

  read(item: Json | null, at: string): void {
    if (item === null) throw wrongType(at, 'an object');
    const type = item.type ?? (item.role === undefined ? 'item_reference' : 'message');
    if (type === 'message') this.#readMessage(item, at);
    else if (type === 'function_call' || type === 'custom_tool_call') this.#readCall(item, at, type);
    else if (type === 'function_call_output' || type === 'custom_tool_call_output')
      this.#readOutput(item, at, type);
    else if (type === 'reasoning') checkReasoning(item, at);
    else if (type === 'item_reference') throw unknownItem(textAt(item, 'id', at));
    else if (type !== 'web_search_call' && type !== 'image_generation_call') {
      throw unsupportedValue(`${at}.type`, type, ITEM_TYPES);
    }
  }

  #readMessage(item: Json, at: string): void {
    if (item.role === undefined) throw missing(`${at}.role`);
    const role = ROLES.get(item.role);
    if (role === undefined) throw unsupportedValue(`${at}.role`, item.role, [...ROLES.keys()] as string[]);
    const allowed = role === 'assistant' ? ASSISTANT_PARTS : OTHER_PARTS;
    this.#turns.push({ ...this.#readContent(item.content, `${at}.content`, allowed), role, toolCalls: [] });
  }

  #readCall(item: Json, at: string, type: string): void {
    this.#called.set(textAt(item, 'call_id', at), type);
    const said = textAt(item, type === 'custom_tool_call' ? 'input' : 'arguments', at);
    const call = { name: textAt(item, 'name', at), arguments: said };
    this.#turns.push({ ...plainTurn('assistant', ''), toolCalls: [call] });
  }

  /** The result of a call is of the call's kind. */
  #readOutput(item: Json, at: string, type: string): void {
    const id = textAt(item, 'call_id', at);
    if (`${this.#called.get(id)}_output` !== type) throw outputWithoutCall(id);
    this.#answered.add(id);
    const content = this.#readContent(item.output, `${at}.output`, OTHER_PARTS);
    this.#turns.push({ ...content, role: 'tool', toolCalls: [] });
  }

  #readContent(
    content: unknown,
    at: string,
    allowed: readonly string[],
  ): { text: string; images: SeenImage[] } {
    if (content == null) throw missing(at);
    if (typeof content === 'string') return { text: content, images: [] };
    if (!Array.isArray(content)) throw wrongType(at, 'one of a string or array of objects');
    const texts: string[] = [];
    const images: SeenImage[] = [];
    content.forEach((given, place) => {
      const part = record(given) ?? {};
      const here = `${at}[${place}]`;
      if (!allowed.includes(part.type as string)) throw unsupportedValue(`${here}.type`, part.type, allowed);
      if (part.type === 'input_image') images.push(this.#readImage(part, here));
      else if (part.type === 'refusal') texts.push(textAt(part, 'refusal', here));
      else if (part.type !== 'input_file') texts.push(textAt(part, 'text', here));
    });
    return { text: texts.join('\n'), images };
  }

  #readImage(part: Json, at: string): SeenImage {
    if (!this.#traits.seesImages) throw unsupportedImage(`${at}.type`);
    if (part.image_url == null && typeof part.file_id === 'string') throw unknownFile(part.file_id);
    const image_url = { url: textAt(part, 'image_url', at) };
    // Chat has the same images in another wrapping.
    const wrapped = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
    return readTurns(wrapped, this.#traits)[0]?.images[0] as SeenImage;
  }
}

function checkReasoning(item: Json, at: string): void {
  if (!Array.isArray(item.summary)) throw missing(`${at}.summary`);
  const sealed = item.encrypted_content;
  if (sealed == null) return;
  if (typeof sealed !== 'string') throw wrongType(`${at}.encrypted_content`, 'a string');
  if (!isSealed(sealed)) throw unverifiedContent(sealed);
}

function textAt(item: Json, name: string, at: string): string {
  const value = item[name];
  if (value == null) throw missing(`${at}.${name}`);
  if (typeof value !== 'string') throw wrongType(`${at}.${name}`, 'a string');
  return value;
}
