import { expect, test } from 'vitest';
import { TestClock } from '../../test/support/test-clock.ts';
import { MemoryReturn } from './memory-return.ts';

type Generation = 'all' | 'young';

const SMALL = 1_000_000;

test('garbage is collected once after the start, and the young generation while it is large and nothing happens', () => {
  const clock = new TestClock();
  const bytes = { taken: 0 };
  const collected: Generation[] = [];
  let young = 60_000_000;
  const memory = new MemoryReturn({
    ...{ clock, bytes, inFlight: () => 0, heapBytes: () => ({ old: 50_000_000, young }) },
    collect: (generation) => collected.push(generation),
  });
  memory.start();
  clock.pass(25_000);
  expect(collected).toEqual([]);
  clock.pass(5_000);
  expect(collected).toEqual(['all']);
  bytes.taken += 2_000_000;
  clock.pass(30_000);
  expect(collected).toEqual(['all']);
  clock.pass(5_000);
  expect(collected).toEqual(['all', 'young']);
  young = SMALL;
  clock.pass(60_000);
  expect(collected).toEqual(['all', 'young']);
  memory.stop();
});

test('garbage is collected once after a load of large calls, and not after a few small ones', () => {
  const clock = new TestClock();
  const bytes = { taken: 0 };
  const collected: Generation[] = [];
  const memory = new MemoryReturn({
    clock,
    bytes,
    inFlight: () => 0,
    heapBytes: () => ({ old: 50_000_000, young: SMALL }),
    collect: (generation) => collected.push(generation),
  });
  memory.start();
  for (let i = 0; i < 10; i++) {
    bytes.taken += 10_000_000;
    clock.pass(5_000);
  }
  expect(collected).toEqual([]);
  // Pauses of a load are not its end.
  clock.pass(20_000);
  bytes.taken += 10_000_000;
  clock.pass(30_000);
  expect(collected).toEqual([]);
  clock.pass(60_000);
  expect(collected).toEqual(['all']);
  for (let i = 0; i < 10; i++) {
    bytes.taken += 1_000;
    clock.pass(5_000);
  }
  expect(collected).toEqual(['all']);
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
    ...{ clock, bytes: { taken: 0 }, inFlight: () => calls, collect },
    heapBytes: () => ({ old: heap, young: SMALL }),
  });
  memory.start();
  clock.pass(35_000);
  expect(collected).toBe(1);
  heap = 100_000_000;
  calls = 500;
  clock.pass(60_000);
  expect(collected).toBe(1);
  calls = 20;
  clock.pass(30_000);
  expect(collected).toBe(2);
  // A heap that stays large is in use; it is not collected again.
  clock.pass(60_000);
  expect(collected).toBe(2);
  memory.stop();
});

test('what connections leave behind that close later is collected once, too', () => {
  const clock = new TestClock();
  const bytes = { taken: 0 };
  const collected: Generation[] = [];
  let old = 30_000_000;
  const memory = new MemoryReturn({
    ...{ clock, bytes, inFlight: () => 0, heapBytes: () => ({ old, young: SMALL }) },
    collect: (generation) => collected.push(generation),
  });
  memory.start();
  clock.pass(60_000);
  expect(collected).toEqual(['all']);
  bytes.taken += 20_000_000;
  old = 50_000_000;
  clock.pass(5_000);
  clock.pass(60_000);
  expect(collected).toEqual(['all', 'all']);
  clock.pass(15_000);
  expect(collected).toEqual(['all', 'all', 'all']);
  clock.pass(60_000);
  expect(collected).toEqual(['all', 'all', 'all']);
  memory.stop();
});
