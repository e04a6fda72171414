/** Parts that several examples have in common. */
import { COST_DISCLAIMER } from '../cost.ts';
import type { ErrorExample } from './operation-docs.ts';

/** The cost in an answer. */
export function cost(amount: string): Record<string, string> {
  return { amount, currency: 'unit', disclaimer: COST_DISCLAIMER };
}

/** Server-sent events as they are sent, with an `event:` line if they are named. */
export function eventStream(events: ReadonlyArray<object | string>, options: { named?: true } = {}): string {
  return events
    .map((event) => {
      if (typeof event === 'string') return `data: ${event}\n\n`;
      const name = options.named ? `event: ${(event as { type: string }).type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}

/** A list that has one item. */
export function listOfOne<Item extends { readonly id: string }>(item: Item): object {
  return { object: 'list', data: [item], first_id: item.id, last_id: item.id, has_more: false };
}

/** What a list answers if more is asked for than it gives at once. */
export function limitTooHigh(max: number): ErrorExample {
  return {
    detail: `limit must be a whole number from 1 to ${max}.`,
    param: 'limit',
    provoke: { query: { limit: max + 1 } },
  };
}

/** Objects as lines of JSON. */
export function jsonLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** A PNG of one red pixel. */
export const RED_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
