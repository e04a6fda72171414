/**
 * Placeholders in a JSON body stand for large bytes, which are put in when the body is sent. So those are held once,
 * and neither parsed nor copied on the way. They are references that a call names, and the long strings of the
 * caller's own body (cut-long-strings.ts). Pure.
 */
import { JSON_BYTES } from './json-bytes.ts';

const { BACKSLASH } = JSON_BYTES;

export interface Inline {
  /** Random, so that no caller can have written it. */
  readonly mark: string;
  /** What each placeholder stands for, by its number: the bytes between the quotes of a JSON string. */
  readonly pieces: ReadonlyArray<readonly Buffer[]>;
  /** The numbers of those that are text. The others are base64, which is never read. */
  readonly texts?: ReadonlySet<number>;
}

export const NUMBER_CHARACTERS = 4;

export function placeholder(mark: string, number: number): string {
  return `${mark}${String(number).padStart(NUMBER_CHARACTERS, '0')}`;
}

/**
 * Returns the body in pieces that are not joined, or the body itself if it has no placeholders. What is still as the
 * caller wrote it between two strings is sent from the caller's bytes: a few large pieces instead of many small ones.
 */
export function putInline(body: Buffer, inline: Inline | undefined): Buffer | readonly Buffer[] {
  if (inline === undefined || inline.pieces.length === 0) return body;
  const { mark, pieces } = inline;
  const joined = new JoinedPieces(body);
  let from = 0;
  for (let at = body.indexOf(mark, 0, 'latin1'); at >= 0; at = body.indexOf(mark, from, 'latin1')) {
    const behind = at + mark.length + NUMBER_CHARACTERS;
    const number = Number(body.toString('latin1', at + mark.length, behind));
    joined.add(from, at, pieces[number] ?? []);
    from = behind;
  }
  return joined.end(from);
}

/** Collects pieces of a body and views that are next to each other in memory as one. */
class JoinedPieces {
  readonly #body: Buffer;
  readonly #all: Buffer[] = [];
  /** The memory of the current view, and its range there; null before the first. */
  #memory: Buffer | null = null;
  #start = 0;
  #end = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** A part of the body, and the pieces after it. */
  add(from: number, to: number, pieces: readonly Buffer[]): void {
    for (let i = 0; i < pieces.length; i++) {
      const piece = pieces[i] as Buffer;
      const gap = i === 0 ? to - from : 0;
      if (!this.#continues(piece, from, gap)) {
        this.#close();
        if (gap > 0) this.#all.push(this.#body.subarray(from, to));
        this.#memory = Buffer.from(piece.buffer);
        this.#start = piece.byteOffset;
      }
      this.#end = piece.byteOffset + piece.length;
    }
    if (pieces.length > 0) return;
    this.#close();
    this.#all.push(this.#body.subarray(from, to));
  }

  end(from: number): readonly Buffer[] {
    this.#close();
    this.#all.push(this.#body.subarray(from));
    return this.#all;
  }

  /** Whether the caller's bytes between the current view and the piece are those of the body. */
  #continues(piece: Buffer, from: number, gap: number): boolean {
    const memory = this.#memory;
    if (memory === null || memory.buffer !== piece.buffer) return false;
    if (piece.byteOffset - this.#end !== gap) return false;
    return gap === 0 || memory.compare(this.#body, from, from + gap, this.#end, piece.byteOffset) === 0;
  }

  #close(): void {
    if (this.#memory !== null) this.#all.push(this.#memory.subarray(this.#start, this.#end));
    this.#memory = null;
  }
}

export function inlineBytes({ pieces }: Inline): number {
  let bytes = 0;
  for (const part of pieces) for (const piece of part) bytes += piece.length;
  return bytes;
}

export function bytesOf({ pieces }: Inline, numbers: Iterable<number>): number {
  let bytes = 0;
  for (const number of numbers) for (const piece of pieces[number] ?? []) bytes += piece.length;
  return bytes;
}

/** The numbers of the placeholders in a text. */
export function placedIn(text: string, { mark }: Inline): number[] {
  const numbers: number[] = [];
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    const behind = at + mark.length;
    numbers.push(Number(text.slice(behind, behind + NUMBER_CHARACTERS)));
  }
  return numbers;
}

/** Returns the value with its long strings in full: all of them, or only the texts. */
export function expandInline<Value>(value: Value, inline: Inline, which: 'all' | 'texts'): Value {
  const wanted = (number: number): boolean => which === 'all' || (inline.texts?.has(number) ?? false);
  const expand = (part: unknown): unknown => {
    if (typeof part === 'string') return expandText(part, inline, wanted);
    if (Array.isArray(part)) return sameOr(part, part.map(expand));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part);
    const expanded = entries.map(([key, item]) => [key, expand(item)] as const);
    return expanded.some(([, item], i) => item !== entries[i]?.[1]) ? Object.fromEntries(expanded) : part;
  };
  return expand(value) as Value;
}

/** Shares a list in which nothing changed. */
function sameOr(list: readonly unknown[], expanded: readonly unknown[]): readonly unknown[] {
  return expanded.some((item, i) => item !== list[i]) ? expanded : list;
}

/** Returns the text with its placeholders replaced. */
export function expandText(
  text: string,
  { mark, pieces }: Inline,
  wanted: (number: number) => boolean = () => true,
): string {
  let at = text.indexOf(mark);
  if (at < 0) return text;
  let whole = '';
  let from = 0;
  for (; at >= 0; at = text.indexOf(mark, from)) {
    const behind = at + mark.length + NUMBER_CHARACTERS;
    const number = Number(text.slice(at + mark.length, behind));
    whole += text.slice(from, wanted(number) ? at : behind);
    if (wanted(number)) whole += stringText(pieces[number] ?? []);
    from = behind;
  }
  return whole + text.slice(from);
}

/** Decodes the bytes between the quotes of a JSON string. */
function stringText(pieces: readonly Buffer[]): string {
  const bytes = Buffer.concat(pieces);
  return bytes.includes(BACKSLASH)
    ? (JSON.parse(`"${bytes.toString('utf8')}"`) as string)
    : bytes.toString('utf8');
}
