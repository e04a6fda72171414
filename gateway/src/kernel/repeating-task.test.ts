import { expect, it } from 'vitest';
import { RepeatingTask } from './repeating-task.ts';
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
  const task = new RepeatingTask({ ...options, onTrouble: (error) => troubles.push(error) });
  return { task, troubles, tick: () => tick(), ticking: () => ticking };
}

it('starts one run at a time, even if a run takes longer than the interval', async () => {
  let [begun, end] = [0, (): void => undefined];
  const { task, tick } = stage(() => {
    begun++;
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  task.start();
  tick();
  tick();
  expect(begun).toBe(1);
  end();
  await task.runOnce();
  tick();
  expect(begun).toBe(2);
});

it('reports a run that failed, and repeats it at the next interval', async () => {
  let runs = 0;
  const on = stage(() => (++runs === 1 ? Promise.reject(new Error('away')) : Promise.resolve()));
  await on.task.runOnce();
  await on.task.runOnce();
  expect([runs, on.troubles]).toEqual([2, [new Error('away')]]);
});

it('starts no run after a stop, and waits for the one under way', async () => {
  let end = (): void => undefined;
  const on = stage(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  on.task.start();
  on.tick();
  let stopped = false;
  const stopping = on.task.stop().then(() => {
    stopped = true;
  });
  await Promise.resolve();
  expect([on.ticking(), stopped]).toEqual([false, false]);
  end();
  await stopping;
  expect(stopped).toBe(true);
});
