import { expect, it } from 'vitest';
import { Sweeper, type SweeperOptions } from './sweeper.ts';
import type { Clock } from './time.ts';

function stage(options: Pick<SweeperOptions, 'sweep'> & Partial<SweeperOptions>) {
  let ticking = false;
  const every: Clock['every'] = () => {
    ticking = true;
    return () => {
      ticking = false;
    };
  };
  const sweeper = new Sweeper({ clock: { every } as Clock, everyMs: 1_000, ...options });
  return { sweeper, ticking: () => ticking };
}

it('sweeps until nothing is left', async () => {
  const left = [true, true, false, true];
  const { sweeper } = stage({ sweep: async () => left.shift() === true });
  await sweeper.runOnce();
  expect(left).toEqual([true]);
});

it('waits for the first sweep only if it is asked to, and starts even if that sweep fails', async () => {
  const troubles: unknown[] = [];
  let swept = 0;
  const sweep = async (): Promise<boolean> => {
    swept++;
    throw new Error('away');
  };
  const later = stage({ sweep });
  await later.sweeper.start();
  expect([swept, later.ticking()]).toEqual([0, true]);
  const onTrouble = (error: unknown): void => void troubles.push(error);
  const waits = stage({ sweep, onTrouble, atStart: 'awaited' });
  await waits.sweeper.start();
  expect([swept, troubles, waits.ticking()]).toEqual([1, [new Error('away')], true]);
  const never = new Promise<boolean>(() => undefined);
  const background = stage({ sweep: () => never, atStart: 'in background' });
  await background.sweeper.start();
  expect(background.ticking()).toBe(true);
});

it('throws to a caller what a sweep of its own throws', async () => {
  const { sweeper } = stage({ sweep: () => Promise.reject(new Error('away')) });
  await expect(sweeper.runOnce()).rejects.toThrow('away');
});
