import { expect, test } from 'vitest';
import { TestClock } from '../../test/support/test-clock.ts';
import { MemoryReturn } from './memory-return.ts';

test('garbage is collected once when a load is over, and not for small calls', () => {
  const clock = new TestClock();
  const bytes = { taken: 0 };
  let collected = 0;
  const memory = new MemoryReturn({ clock, bytes, collect: () => collected++ });
  memory.start();
  for (let i = 0; i < 10; i++) {
    bytes.taken += 10_000_000;
    clock.pass(5_000);
  }
  expect(collected).toBe(0);
  clock.pass(60_000);
  expect(collected).toBe(1);
  for (let i = 0; i < 10; i++) {
    bytes.taken += 1_000;
    clock.pass(5_000);
  }
  expect(collected).toBe(1);
  memory.stop();
});
