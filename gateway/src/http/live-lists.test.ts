/** What comes and goes with calls must not stay in memory until a full collection: docs/decisions/0063-calls-die-young.md. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { MIB } from '../kernel/bytes.ts';
import { systemClock } from '../kernel/time.ts';
import { BodyArrivals } from './body-arrivals.ts';
import { KeepAliveTimer } from './keep-alive-timer.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as (options: { type: 'major' | 'minor' }) => void;

const AT_ONCE = 64;
const COUNT = 20_000;
/** Together they have 160 MB. */
const NUMBERS_EACH = 1_000;

class Item {
  place = -1;
  lastSentMs = 0;
  readonly memory = new Array<number>(NUMBERS_EACH).fill(1);
  sendKeepAlive(): void {}
  resume(): void {}
  stalled(): void {}
  progressed(): boolean {
    return true;
  }
}

test.each([
  ['streams', () => new KeepAliveTimer(systemClock)],
  ['bodies that arrive', () => new BodyArrivals(systemClock)],
])('%s that are over are collected with the young generation', (_, make) => {
  const list = make();
  const open: Item[] = [];
  const begin = (): void => {
    const item = new Item();
    open.push(item);
    list.add(item);
  };
  const end = (): void => list.remove(open.shift() as Item);
  for (let count = 0; count < AT_ONCE; count++) begin();
  // Moves those that are open to the old generation.
  gc({ type: 'major' });
  const before = getHeapStatistics().used_heap_size;
  for (let count = 1; count <= COUNT; count++) {
    begin();
    end();
    if (count % 500 === 0) gc({ type: 'minor' });
  }
  while (open.length > 0) end();
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(10 * MIB);
});
