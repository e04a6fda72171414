/**
 * What a prompt has besides text, by the number of its tokens: texts and audio have fewer tokens than bytes, an image has about
 * as many whatever its bytes are, and a document may have more, because it is compressed. Pure.
 */
import { bytesOf, type Inline, placedIn } from '../json/placeholders.ts';
import { isObject, type Json, objectOf, textOf } from '../json/read-json.ts';

export interface PromptMedia {
  readonly images: number;
  /** Of these images in the body. */
  readonly imageBytes: number;
  /** Whether it has documents, or parts of a kind that is not known here. */
  readonly compressed: boolean;
  /** The path of the first audio or part of an unknown kind that is only an address; null if there is none. */
  readonly elsewhere: string | null;
}

/** Of a request in any text format. `inline`: the long strings that are not in it. */
export function promptMedia(request: object, inline: Inline | undefined): PromptMedia {
  const { messages, input } = request as Json;
  const found = new MediaReader(inline);
  if (Array.isArray(messages)) found.turns(messages, 'messages');
  if (Array.isArray(input)) found.turns(input, 'input');
  return found;
}

const texts = new Set([
  ...['text', 'input_text', 'output_text', 'refusal', 'summary_text', 'reasoning_text'],
  ...['thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'tool_result', 'tool_reference'],
  ...[
    'search_result',
    'web_search_tool_result',
    'web_search_result',
    'tool_search_tool_result',
    'compaction',
  ],
]);

/** Of these, a data URL says what it holds. */
const IMAGE = /^data:image\//i;

/** In a part whose fields are not known. */
const ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\//i;

function isElsewhere(part: Json): boolean {
  const fields = Object.values(part).flatMap((value) => (isObject(value) ? Object.values(value) : value));
  return fields.some((value) => typeof value === 'string' && ADDRESS.test(value));
}

class MediaReader implements PromptMedia {
  images = 0;
  imageBytes = 0;
  compressed = false;
  elsewhere: string | null = null;
  readonly #inline: Inline | undefined;

  constructor(inline: Inline | undefined) {
    this.#inline = inline;
  }

  /** Messages, or items of a responses request. */
  turns(turns: readonly unknown[], field: string): void {
    for (let i = 0; i < turns.length; i++) {
      const turn = turns[i];
      if (isObject(turn)) this.#turn(turn, field, i);
    }
  }

  /** Most have only a text, and need no path. */
  #turn({ type, content, images, output, result }: Json, field: string, i: number): void {
    if (type === 'image_generation_call') this.#image(result);
    if (Array.isArray(content)) this.#parts(content, `${field}[${i}].content`);
    if (Array.isArray(images)) this.#parts(images, `${field}[${i}].images`);
    if (Array.isArray(output)) this.#parts(output, `${field}[${i}].output`);
    else if (isObject(output)) this.#part(output, `${field}[${i}].output`);
  }

  #parts(content: unknown, path: string): void {
    if (!Array.isArray(content)) return;
    for (const [i, part] of content.entries()) if (isObject(part)) this.#part(part, `${path}[${i}]`);
  }

  #part(part: Json, path: string): void {
    if (this.#isKnown(part, path)) return;
    if (isElsewhere(part)) this.elsewhere ??= path;
    else if (part.type !== 'input_audio') this.compressed = true;
  }

  #isKnown(part: Json, path: string): boolean {
    const { type, image_url: address, source } = part;
    if (type === 'image_url') return this.#dataUrl(objectOf(address).url ?? address);
    if (type === 'input_image' || type === 'computer_screenshot') return this.#dataUrl(address);
    if (type === 'image') return this.#block(objectOf(source));
    if (type === 'document') return this.#document(objectOf(source), `${path}.source.content`);
    if (!texts.has(textOf(type))) return false;
    // A tool result has parts of its own.
    this.#parts(part.content, `${path}.content`);
    return true;
  }

  #dataUrl(url: unknown): boolean {
    if (!IMAGE.test(textOf(url))) return false;
    this.#image(url);
    return true;
  }

  #block({ type, media_type: kind, data }: Json): boolean {
    if (type !== 'base64' || !textOf(kind).startsWith('image/')) return false;
    this.#image(data);
    return true;
  }

  #document({ type, content }: Json, path: string): boolean {
    if (type === 'content') this.#parts(content, path);
    return type === 'content' || type === 'text';
  }

  #image(data: unknown): void {
    const text = textOf(data);
    this.images++;
    this.imageBytes += text.length;
    if (this.#inline !== undefined) this.imageBytes += bytesOf(this.#inline, placedIn(text, this.#inline));
  }
}
