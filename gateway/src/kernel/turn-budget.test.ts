import { expect, test } from 'vitest';
import { TurnBudget } from './turn-budget.ts';

test('paused readers resume two per event-loop turn, in the order in which they paused', async () => {
  const budget = new TurnBudget();
  const turns: number[][] = [];
  let turn: number[] = [];
  const readers = Array.from({ length: 10 }, (_, i) => ({ resume: () => void turn.push(i) }));
  expect(readers.map((reader) => budget.spend(reader, 64 * 1024))).toEqual([true, ...Array(9).fill(false)]);
  budget.remove(readers[5] as { resume(): void });
  while (turns.flat().length < 8) {
    turn = [];
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(turn);
  }
  expect(turns.flat()).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
  expect(Math.max(...turns.map(({ length }) => length))).toBe(2);
});
