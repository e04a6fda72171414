/**
 * Long texts of a call stand beside it (kernel/inline-pieces.ts). What people and models said is only carried from
 * one format into another, so it stays where it is; whatever a translator looks into, such as the arguments
 * and results of tools, is put in first. Pure.
 */
import { expandInline, type Inline, placedIn } from '../kernel/inline-pieces.ts';

/** Fields of a request that may be one text. */
const TEXT_FIELDS = new Set(['system', 'instructions', 'input']);
/** Fields of a request that list what was said. */
const LIST_FIELDS = new Set(['messages', 'input', 'system']);
const SPEAKERS = new Set(['system', 'developer', 'user', 'assistant']);
const TEXT_TYPES = new Set(['text', 'input_text', 'output_text']);

type Fields = Readonly<Record<string, unknown>>;

/** The request to translate, and the numbers of the texts that were put in. */
export interface LookedInto<Request> {
  readonly request: Request;
  readonly expanded: ReadonlySet<number>;
}

export function expandLookedInto<Request extends object>(
  request: Request,
  inline: Inline,
): LookedInto<Request> {
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
      if (Array.isArray(value) && LIST_FIELDS.has(name)) return value.map((item) => this.#said(item));
      return this.#putIn(value);
    });
  }

  /** A message, an item, or a part of either. */
  #said(item: unknown): unknown {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return this.#putIn(item);
    const { type, role } = item as Fields;
    const carried = TEXT_TYPES.has(String(type)) ? 'text' : SPEAKERS.has(String(role)) ? 'content' : null;
    return mapFields(item as Fields, (name, value) => {
      if (name !== carried) return this.#putIn(value);
      if (typeof value === 'string') return this.#carry(value);
      return Array.isArray(value) ? value.map((part) => this.#said(part)) : this.#putIn(value);
    });
  }

  #carry(text: string): string {
    for (const number of placedIn(text, this.#inline)) this.expanded.delete(number);
    return text;
  }

  #putIn(value: unknown): unknown {
    return expandInline(value, this.#inline, 'texts');
  }
}

function mapFields(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}
