import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { LineReply } from './line-reply.ts';

it('tells a line that its batch is cut off, and is forgotten by the batch when the line is over', () => {
  const cut = new AbortController();
  const told: string[] = [];
  const lines = ['first', 'second'].map((name) => {
    const reply = new LineReply(cut.signal);
    reply.onGone(() => told.push(name));
    return reply;
  });
  lines[0]?.close();
  // A batch has 50,000 lines and one signal: it knows those under way, not those that are over.
  expect(getEventListeners(cut.signal, 'abort')).toHaveLength(1);
  cut.abort();
  expect(told).toEqual(['second']);
});
