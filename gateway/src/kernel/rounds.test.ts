import { expect, it } from 'vitest';
import { Rounds } from './rounds.ts';
import type { Clock } from './time.ts';

function stage(work: () => Promise<void>) {
  let tick = (): void => undefined;
  let ticking = false;
  const every: Clock['every'] = (_, listener) => {
    tick = listener;
    ticking = true;
    return () => {
      ticking = false;
    };
  };
  const troubles: unknown[] = [];
  const options = { clock: { every } as Clock, everyMs: 1_000, work };
  const rounds = new Rounds({ ...options, onTrouble: (error) => troubles.push(error) });
  return { rounds, troubles, tick: () => tick(), ticking: () => ticking };
}

it('does one round at a time, however long it takes', async () => {
  let [begun, end] = [0, (): void => undefined];
  const { rounds, tick } = stage(() => {
    begun++;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  rounds.start();
  tick();
  tick();
  expect(begun).toBe(1);
  end();
  await rounds.go();
  tick();
  expect(begun).toBe(2);
});

it('tells of a round that failed, and goes on with the next', async () => {
  let rounds = 0;
  const on = stage(() => (++rounds === 1 ? Promise.reject(new Error('away')) : Promise.resolve()));
  await on.rounds.go();
  await on.rounds.go();
  expect([rounds, on.troubles]).toEqual([2, [new Error('away')]]);
});

it('stops once: no round begins any more, and the last is waited for', async () => {
  let end = (): void => undefined;
  const on = stage(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  on.rounds.start();
  on.tick();
  let stopped = false;
  const stopping = on.rounds.stop().then(() => {
    stopped = true;
  });
  await Promise.resolve();
  expect([on.ticking(), stopped]).toEqual([false, false]);
  end();
  await stopping;
  expect(stopped).toBe(true);
});
