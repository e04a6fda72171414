import { expect, test } from 'vitest';
import { FairTurns } from './fair-turns.ts';

/** Takes a turn for each name and notes who was served in which turn of the event loop. */
async function servedIn(names: readonly string[]): Promise<string[][]> {
  const turns = new FairTurns();
  const served: string[][] = [[]];
  const all = Promise.withResolvers<void>();
  let left = names.length;
  for (const name of names) {
    turns.take(name, () => {
      served.at(-1)?.push(name);
      if (--left === 0) all.resolve();
    });
  }
  const note = (): void => {
    if (left === 0) return;
    served.push([]);
    setImmediate(note);
  };
  note();
  await all.promise;
  return served.filter((turn) => turn.length > 0);
}

test('a few are served at once, and no more in any turn of the event loop', async () => {
  expect(await servedIn(['a', 'a', 'a'])).toEqual([['a', 'a', 'a']]);
  const served = await servedIn(Array.from({ length: 50 }, () => 'a'));
  expect(Math.max(...served.map((turn) => turn.length))).toBeLessThanOrEqual(4);
});

test('a call of one space is served next although hundreds of another came before it', async () => {
  const served = await servedIn([...Array.from({ length: 500 }, () => 'attacker'), 'victim']);
  expect(served.flat().indexOf('victim')).toBeLessThan(8);
});

test('who takes a turn while being served is served too', async () => {
  const turns = new FairTurns();
  const served: number[] = [];
  await new Promise<void>((resolve) => {
    const again = (i: number): void => {
      served.push(i);
      if (i === 20) resolve();
      else turns.take('a', () => again(i + 1));
    };
    again(0);
  });
  expect(served).toHaveLength(21);
});
