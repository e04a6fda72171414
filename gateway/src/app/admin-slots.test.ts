import { expect, test } from 'vitest';
import { AdminSlots } from './admin-slots.ts';

/** Operations that end when the test ends them, and the order in which they began. */
function stage(options: { runningMax: number; waitingMax: number }) {
  const slots = new AdminSlots(options);
  const begun: string[] = [];
  const end = new Map<string, () => void>();
  const ask = (actor: string, name: string): Promise<string> =>
    slots.run(actor, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => end.set(name, resolve));
      return name;
    });
  return { slots, begun, ask, end: (name: string) => end.get(name)?.() };
}

test('only so many run at once, and those who wait take turns', async () => {
  const { begun, ask, end } = stage({ runningMax: 2, waitingMax: 5 });
  const [a1, , a3] = [
    ask('ann', 'a1'),
    ask('ann', 'a2'),
    ask('ann', 'a3'),
    ask('ann', 'a4'),
    ask('ben', 'b1'),
  ];
  expect(begun).toEqual(['a1', 'a2']);
  end('a1');
  await a1;
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3']);
  end('a3');
  await a3;
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('somebody with too many that wait is rejected, and nobody else', async () => {
  const { ask, begun, end } = stage({ runningMax: 1, waitingMax: 1 });
  const first = ask('ann', 'a1');
  const second = ask('ann', 'a2');
  await expect(ask('ann', 'a3')).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
  const other = ask('ben', 'b1');
  end('a1');
  await first;
  await expect.poll(() => begun).toEqual(['a1', 'a2']);
  const again = ask('ann', 'a4');
  end('a2');
  await second;
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1']);
  end('b1');
  await other;
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'a4']);
  end('a4');
  expect(await again).toBe('a4');
});

test('an operation that fails gives its slot back', async () => {
  const slots = new AdminSlots({ runningMax: 1, waitingMax: 1 });
  await expect(slots.run('ann', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await slots.run('ann', async () => 'done')).toBe('done');
});
