/**
 * Decides which long texts a translation needs in full. Long strings of a request are kept outside of it as
 * placeholders (json/placeholders.ts). Message texts are only moved from one format to another, so their
 * placeholders stay. Fields that translators read, such as tool arguments and tool results, are expanded. Pure.
 */
import { expandInline, type Inline, placedIn } from '../json/placeholders.ts';

/** Request fields that can be a single text. */
const TEXT_FIELDS = new Set(['system', 'instructions', 'input']);
/** Request fields that can be a list of messages, items or parts. */
const LIST_FIELDS = new Set(['messages', 'input', 'system']);
const SPEAKERS = new Set(['system', 'developer', 'user', 'assistant']);
const TEXT_TYPES = new Set(['text', 'input_text', 'output_text']);

type Fields = Readonly<Record<string, unknown>>;

/** The request to translate, and the numbers of the placeholders that were expanded. */
export interface ToTranslate<Request> {
  readonly request: Request;
  readonly expanded: ReadonlySet<number>;
}

export function expandForTranslation<Request extends object>(
  request: Request,
  inline: Inline,
): ToTranslate<Request> {
  const walk = new Walk(inline);
  return { request: walk.request(request as Fields) as Request, expanded: walk.expanded };
}

class Walk {
  readonly #inline: Inline;
  readonly expanded: Set<number>;

  constructor(inline: Inline) {
    this.#inline = inline;
    this.expanded = new Set(inline.texts);
  }

  request(fields: Fields): Fields {
    return mapFields(fields, (name, value) => {
      if (typeof value === 'string' && TEXT_FIELDS.has(name)) return this.#carry(value);
      if (Array.isArray(value) && LIST_FIELDS.has(name)) return value.map((item) => this.#message(item));
      return this.#expand(value);
    });
  }

  /** A message, an input item, or a content part. */
  #message(item: unknown): unknown {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return this.#expand(item);
    const { type, role } = item as Fields;
    const carried = TEXT_TYPES.has(String(type)) ? 'text' : SPEAKERS.has(String(role)) ? 'content' : null;
    return mapFields(item as Fields, (name, value) => {
      if (name !== carried) return this.#expand(value);
      if (typeof value === 'string') return this.#carry(value);
      return Array.isArray(value) ? value.map((part) => this.#message(part)) : this.#expand(value);
    });
  }

  #carry(text: string): string {
    for (const number of placedIn(text, this.#inline)) this.expanded.delete(number);
    return text;
  }

  #expand(value: unknown): unknown {
    return expandInline(value, this.#inline, 'texts');
  }
}

function mapFields(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}
