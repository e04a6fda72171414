import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** Queues one step per name and records which steps ran in which event-loop turn. */
async function runInTurns(names: readonly string[]): Promise<string[][]> {
  const queue = new FairQueue();
  const turns: string[][] = [[]];
  const all = Promise.withResolvers<void>();
  let left = names.length;
  for (const name of names) {
    queue.run(name, () => {
      turns.at(-1)?.push(name);
      if (--left === 0) all.resolve();
    });
  }
  const nextTurn = (): void => {
    if (left === 0) return;
    turns.push([]);
    setImmediate(nextTurn);
  };
  nextTurn();
  await all.promise;
  return turns.filter((turn) => turn.length > 0);
}

test('a few steps run at once, and each event-loop turn runs no more than that', async () => {
  expect(await runInTurns(['a', 'a', 'a'])).toEqual([['a', 'a', 'a']]);
  const turns = await runInTurns(Array.from({ length: 50 }, () => 'a'));
  expect(Math.max(...turns.map((turn) => turn.length))).toBeLessThanOrEqual(4);
});

test('a call of one space runs next although hundreds of another space came first', async () => {
  const turns = await runInTurns([...Array.from({ length: 500 }, () => 'attacker'), 'victim']);
  expect(turns.flat().indexOf('victim')).toBeLessThan(8);
});

test('a step may queue another step', async () => {
  const queue = new FairQueue();
  const ran: number[] = [];
  await new Promise<void>((resolve) => {
    const step = (i: number): void => {
      ran.push(i);
      if (i === 20) resolve();
      else queue.run('a', () => step(i + 1));
    };
    step(0);
  });
  expect(ran).toHaveLength(21);
});
