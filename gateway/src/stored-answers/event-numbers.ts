/** The numbers of the events of a stream that can be resumed, as SSE ids. Pure. */
import { isId } from '../kernel/ids.ts';
import type { AnswerPart } from './stored-answer.ts';

const FRAME_END = '\n\n';

/** The events with an id each, numbered after `last`; and how many there are. */
export function numberEvents(
  events: string,
  callId: string,
  last: number,
): { readonly text: string; readonly count: number } {
  let [text, count, from] = ['', 0, 0];
  for (;;) {
    const end = events.indexOf(FRAME_END, from);
    if (end < 0) return { text: text + events.slice(from), count };
    text += `id: ${eventId(callId, last + ++count)}\n${events.slice(from, end + FRAME_END.length)}`;
    from = end + FRAME_END.length;
  }
}

/** The events without the first ones. */
export function skipEvents(events: string, count: number): string {
  let from = 0;
  for (let skipped = 0; skipped < count; skipped++) {
    const end = events.indexOf(FRAME_END, from);
    if (end < 0) return '';
    from = end + FRAME_END.length;
  }
  return events.slice(from);
}

/** The events of stored parts after a number. Parts may overlap: one that was written again is longer than before. */
export function* eventsIn(
  parts: ReadonlyArray<Pick<AnswerPart, 'firstEvent' | 'events' | 'body'>>,
  after: number,
): Generator<{ readonly text: string; readonly last: number }> {
  let last = after;
  for (const { firstEvent, events, body } of parts) {
    const text = skipEvents(body, Math.max(last + 1 - firstEvent, 0));
    last = Math.max(last, firstEvent + events - 1);
    if (text !== '') yield { text, last };
  }
}

function eventId(callId: string, number: number): string {
  return `${callId}-${number}`;
}

export interface EventPosition {
  readonly callId: string;
  readonly number: number;
}

/** Null if it is not the id of an event. The id names its call, so that the events of two answers are never mixed. */
export function readEventId(id: string): EventPosition | null {
  const match = /^(\w+)-(\d{1,9})$/.exec(id);
  if (match === null) return null;
  const [, callId = '', number = ''] = match;
  return isId('req', callId) ? { callId, number: Number(number) } : null;
}
