/** The middle of a responses stream: items that are announced, sent piece by piece, and ended. */
import { expect } from 'vitest';

export interface Item {
  readonly type: string;
  readonly id: string;
  readonly status?: string;
  readonly content?: readonly Part[];
  readonly summary?: readonly Part[];
  readonly call_id?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly arguments?: string;
  readonly result?: string | null;
}

export interface Part {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
}

export interface ResponseEvent {
  readonly type: string;
  readonly output_index: number;
  readonly item: Item;
  readonly item_id: string;
  readonly content_index: number;
  readonly summary_index: number;
  readonly part: Part;
  readonly delta: string;
  readonly text: string;
  readonly refusal: string;
  readonly arguments: string;
}

/** An item under way. */
interface Open {
  readonly item: Item;
  /** The events between its announcement and its end. */
  readonly events: ResponseEvent[];
}

/**
 * The items as their `done` events tell them, each held against the pieces it came in. One begins when
 * the one before has ended; only calls of tools, which a model may write side by side, overlap.
 */
export function readItems(events: readonly ResponseEvent[]): Item[] {
  const items: Item[] = [];
  const open = new Map<number, Open>();
  let begun = 0;
  for (const event of events) {
    const index = event.output_index;
    if (event.type === 'response.output_item.added') {
      expect(index, 'items are counted from 0').toBe(begun++);
      const beside = [...open.values()].map(({ item }) => item.type);
      if (beside.length > 0)
        expect(new Set([...beside, event.item.type])).toEqual(new Set(['function_call']));
      open.set(index, { item: event.item, events: [] });
      continue;
    }
    const item = open.get(index);
    if (item === undefined) throw new Error(`${event.type} stands outside of an item`);
    if (event.type === 'response.output_item.done') {
      items[index] = endItem(item, event.item);
      open.delete(index);
    } else {
      expect(event.item_id).toBe(item.item.id);
      item.events.push(event);
    }
  }
  expect([...open.keys()], 'every item has its end').toEqual([]);
  return items;
}

function endItem({ item, events }: Open, done: Item): Item {
  const { id, type } = item;
  expect(done).toMatchObject({ id, type });
  if (type !== 'reasoning') expect(item.status).toBe('in_progress');
  if (type !== 'reasoning') expect(done.status).toMatch(/^(completed|incomplete)$/);
  switch (type) {
    case 'message':
      expect(item).toMatchObject({ role: 'assistant', content: [] });
      expect(readParts(events, 'content')).toEqual(done.content);
      break;
    case 'reasoning':
      expect(item.summary).toEqual([]);
      expect(readParts(events, 'summary')).toEqual(done.summary);
      break;
    case 'function_call':
      expect(item).toEqual({ ...done, status: 'in_progress', arguments: '' });
      expect(readArguments(events)).toBe(done.arguments);
      break;
    default:
      expect(type).toBe('image_generation_call');
      // The progress of a picture may be reported or not.
      for (const event of events) expect(event.type).toMatch(/^response\.image_generation_call\./);
  }
  return done;
}

/** Of each kind of part: its announcement and end, and the pieces between them. */
const partEvents = {
  content: { added: 'response.content_part.added', done: 'response.content_part.done' },
  summary: { added: 'response.reasoning_summary_part.added', done: 'response.reasoning_summary_part.done' },
} as const;
const pieceEvents: Readonly<Record<string, string>> = {
  output_text: 'response.output_text',
  refusal: 'response.refusal',
  summary_text: 'response.reasoning_summary_text',
};

function readParts(events: readonly ResponseEvent[], kind: 'content' | 'summary'): Part[] {
  const parts: Part[] = [];
  const names = partEvents[kind];
  let from = 0;
  while (from < events.length) {
    const end = events.findIndex(({ type }, i) => i > from && type === names.done);
    expect(end, 'every part has its end').toBeGreaterThan(from);
    const own = events.slice(from, end + 1);
    for (const event of own) expect(event[`${kind}_index`]).toBe(parts.length);
    expect(own[0]?.type, 'a part is announced').toBe(names.added);
    parts.push(readPart(own));
    from = end + 1;
  }
  return parts;
}

function readPart(events: readonly ResponseEvent[]): Part {
  const [added, ...pieces] = events.map((event) => event);
  const done = pieces.pop() as ResponseEvent;
  const whole = pieces.pop();
  const { type } = done.part;
  const name = pieceEvents[type];
  const field = type === 'refusal' ? 'refusal' : 'text';
  expect(added?.part).toMatchObject({ type, [field]: '' });
  for (const piece of pieces) expect(piece.type).toBe(`${name}.delta`);
  expect(whole?.type).toBe(`${name}.done`);
  const text = pieces.map((piece) => piece.delta).join('');
  expect(whole?.[field], 'the pieces make the whole').toBe(text);
  expect(done.part[field]).toBe(text);
  return done.part;
}

function readArguments(events: readonly ResponseEvent[]): string {
  const pieces = [...events];
  const whole = pieces.pop();
  expect(whole?.type).toBe('response.function_call_arguments.done');
  for (const piece of pieces) expect(piece.type).toBe('response.function_call_arguments.delta');
  const text = pieces.map((piece) => piece.delta).join('');
  expect(whole?.arguments, 'the pieces make the whole').toBe(text);
  return text;
}
