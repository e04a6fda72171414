import { expect, test } from 'vitest';
import { Cancellation } from './cancellation.ts';

test('the listener of the step under way hears of it, once, also when it comes late', () => {
  const heard: string[] = [];
  const cancellation = new Cancellation();
  cancellation.onCancel(() => heard.push('first step'));
  cancellation.onCancel(() => heard.push('second step'));
  expect(cancellation.cancelled).toBe(false);
  cancellation.cancel();
  cancellation.cancel();
  expect(cancellation.cancelled).toBe(true);
  cancellation.onCancel(() => heard.push('late'));
  cancellation.onCancel(null);
  expect(heard).toEqual(['second step', 'late']);
});
