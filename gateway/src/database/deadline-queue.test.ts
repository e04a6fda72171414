import { expect, test } from 'vitest';
import { DeadlineQueue } from './deadline-queue.ts';

function filled(...dueMs: readonly number[]): DeadlineQueue<{ dueMs: number; came: number }> {
  const queue = new DeadlineQueue<{ dueMs: number; came: number }>();
  for (const [came, due] of dueMs.entries()) queue.add({ dueMs: due, came });
  return queue;
}

test('the earliest deadline comes first, and equal deadlines keep their order', () => {
  const queue = filled(5, 1, 5, 3, 1);
  const served = Array.from({ length: queue.size }, () => queue.shift()?.came);
  expect(served).toEqual([1, 4, 3, 0, 2]);
  expect(queue.shift()).toBeUndefined();
});

test('a removed item is not returned', () => {
  const queue = filled(2, 1, 3);
  const [, second] = queue;
  queue.remove(second as { dueMs: number; came: number });
  queue.remove({ dueMs: 1, came: 9 });
  expect(Array.from(queue, ({ came }) => came)).toEqual([1, 2]);
  expect(queue.first()?.came).toBe(1);
});
