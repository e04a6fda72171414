import { expect, test } from 'vitest';
import { ByteTurns } from './byte-turns.ts';

test('a few readers bring a chunk in each turn of the event loop, one after the other', async () => {
  const turns = new ByteTurns();
  const resumed: number[][] = [];
  let turn: number[] = [];
  const readers = Array.from({ length: 10 }, (_, i) => ({ resume: () => void turn.push(i) }));
  const goesOn = readers.map((reader) => turns.came(reader, 64 * 1024));
  expect(goesOn).toEqual([true, ...Array(9).fill(false)]);
  turns.remove(readers[5] as { resume(): void });
  while (resumed.flat().length < 8) {
    turn = [];
    await new Promise((resolve) => setImmediate(resolve));
    resumed.push(turn);
  }
  expect(resumed.flat()).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
  expect(Math.max(...resumed.map(({ length }) => length))).toBe(2);
});
