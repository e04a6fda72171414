import { expect, test } from 'vitest';
import { systemClock } from '../../kernel/time.ts';
import { bounded, CHECK_MS_MAX, fine } from './finding.ts';

test('a check that gets no answer is an error after 5 s, and is stopped', async () => {
  const delays: number[] = [];
  const clock = {
    ...systemClock,
    after(delayMs: number, work: () => void) {
      delays.push(delayMs);
      queueMicrotask(work);
      return () => undefined;
    },
  };
  let stopped = false;
  const findings = await bounded('provider x', { clock, next: 'Look.' }, (signal) => {
    signal.addEventListener('abort', () => {
      stopped = true;
    });
    return new Promise(() => undefined);
  });
  expect(findings).toEqual([
    { check: 'provider x', status: 'error', detail: 'no answer within 5 s', next: 'Look.' },
  ]);
  expect([stopped, delays]).toEqual([true, [CHECK_MS_MAX]]);
});

test('what a check throws is an error, and an answer in time is what it found', async () => {
  const options = { clock: systemClock, next: 'Look.' };
  expect(await bounded('x', options, () => Promise.reject(new Error('closed\nat line 1')))).toEqual([
    { check: 'x', status: 'error', detail: 'closed', next: 'Look.' },
  ]);
  expect(await bounded('x', options, async () => fine('well'))).toEqual([{ check: 'x', ...fine('well') }]);
});
