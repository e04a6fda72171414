import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { LineReply } from './line-reply.ts';

it('a line is aborted with its batch, and its listener is removed when the line ends', () => {
  const cut = new AbortController();
  const aborted: string[] = [];
  const lines = ['first', 'second'].map((name) => {
    const reply = new LineReply(cut.signal);
    reply.onGone(() => aborted.push(name));
    return reply;
  });
  lines[0]?.close();
  // A batch has up to 50,000 lines and one signal, which must reference only the running lines.
  expect(getEventListeners(cut.signal, 'abort')).toHaveLength(1);
  cut.abort();
  expect(aborted).toEqual(['second']);
});
