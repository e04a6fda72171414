/**
 * Finds the JSON around the vectors of an answer without parsing them: vectors may have tens of megabytes,
 * the rest is a few bytes before and after.
 */
import { type Json, parseObject } from '../json/read-json.ts';
import type { VectorEncoding } from './embedding-call.ts';

/** A body in pieces. */
export interface BodyPieces {
  readonly length: number;
  slice(start: number, end: number): Buffer[];
}

export interface Envelope {
  /** Byte strings: up to and including the bracket that opens `data`, and after the one that closes it. */
  readonly head: string;
  readonly tail: string;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** All fields but `data`. */
  readonly fields: Json;
  readonly encoding: VectorEncoding;
}

/** How far from each end of the body is searched. */
const WINDOW_BYTES = 64 * 1024;
/** The most false matches for the start or end of the vectors; normally there are none. */
const PLACES_MAX = 64;

const OPENS = /"data"\s*:\s*\[/g;
const CLOSES = /\}\s*\]/g;
const EMBEDDING = /"embedding"\s*:\s*(["[])/;

/** Null when the body is not an answer of the embeddings format. */
export function openEnvelope(body: BodyPieces): Envelope | null {
  const begin = textOf(body.slice(0, WINDOW_BYTES));
  const end = textOf(body.slice(body.length - WINDOW_BYTES, body.length));
  const opening = findPlace(begin, {
    pattern: OPENS,
    from: 0,
    complete: (text, at) => completeHead(text.slice(0, at)),
  });
  if (opening === null) return null;
  const dataStart = opening.at;
  // In a small body both ends are the same text.
  const closing = findPlace(end, {
    pattern: CLOSES,
    from: Math.max(0, dataStart - (body.length - end.length)),
    complete: (text, at) => completeTail(text.slice(at)),
  });
  if (closing === null) return null;
  const dataEnd = body.length - (end.length - closing.at) - 1;
  const mark = EMBEDDING.exec(begin.slice(dataStart))?.[1];
  if (mark === undefined) return null;
  const { data: _, ...fields } = { ...opening.fields, ...closing.fields };
  return {
    head: begin.slice(0, dataStart),
    tail: end.slice(closing.at),
    dataStart,
    dataEnd,
    fields,
    encoding: mark === '"' ? 'base64' : 'float',
  };
}

/**
 * The end of the first mark that is genuine. If the text on one side can be completed to an object, the
 * bracket belongs to a field of the answer itself and not to a nested value.
 */
function findPlace(
  text: string,
  mark: { pattern: RegExp; from: number; complete: (text: string, at: number) => string },
): { at: number; fields: Json } | null {
  let places = 0;
  for (const match of text.slice(mark.from).matchAll(mark.pattern)) {
    if (++places > PLACES_MAX) return null;
    const at = mark.from + match.index + match[0].length;
    const fields = parseObject(mark.complete(text, at));
    if (fields !== null) return { at, fields };
  }
  return null;
}

/** The two ends without the vectors, each as an object, so that its fields can be replaced. */
const HEAD_END = ']}';
const TAIL_BEGIN = '{"data":0';

export const completeHead = (head: string): string => head + HEAD_END;
export const cutHead = (object: string): string => object.slice(0, -HEAD_END.length);
export const completeTail = (tail: string): string => TAIL_BEGIN + tail;
export const cutTail = (object: string): string => object.slice(TAIL_BEGIN.length);

function textOf(pieces: readonly Buffer[]): string {
  return pieces.map((piece) => piece.toString('latin1')).join('');
}
