import { expect, test } from 'vitest';
import { TestClock } from '../../test/support/test-clock.ts';
import { MemoryReturn } from './memory-return.ts';

test('garbage is collected once after a load of large calls, and not after a few small ones', () => {
  const clock = new TestClock();
  const bytes = { taken: 0 };
  let collected = 0;
  const memory = new MemoryReturn({
    clock,
    bytes,
    inFlight: () => 0,
    heapBytes: () => 50_000_000,
    collect: () => collected++,
  });
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

test('the heap is collected once after very many small calls', () => {
  const clock = new TestClock();
  let heap = 50_000_000;
  let calls = 2;
  let collected = 0;
  const collect = (): void => {
    collected++;
    heap -= 10_000_000;
  };
  const memory = new MemoryReturn({
    ...{ clock, bytes: { taken: 0 }, inFlight: () => calls, heapBytes: () => heap, collect },
  });
  memory.start();
  clock.pass(5_000);
  heap = 100_000_000;
  calls = 500;
  clock.pass(60_000);
  expect(collected).toBe(0);
  calls = 20;
  clock.pass(5_000);
  expect(collected).toBe(1);
  // A heap that stays large is in use; it is not collected again.
  clock.pass(60_000);
  expect(collected).toBe(1);
  memory.stop();
});
