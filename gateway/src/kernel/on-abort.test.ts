import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from './on-abort.ts';

test('the listener is called when one of the signals aborts, or at once if one has', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signals = [first.signal, second.signal];
  let calls = 0;
  onAbort(signals, () => calls++);
  second.abort();
  expect(calls).toBe(1);
  onAbort(signals, () => calls++);
  expect(calls).toBe(2);
});

test('nothing is left on the signals when the work is over', () => {
  const signals = [new AbortController().signal, new AbortController().signal];
  const done = onAbort(signals, () => undefined);
  expect(signals.map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1, 1]);
  done();
  expect(signals.map((signal) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
});
