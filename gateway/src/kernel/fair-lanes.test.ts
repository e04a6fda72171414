import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairLanes } from './fair-lanes.ts';

function filled(...items: string[]): FairLanes<string> {
  const lanes = new FairLanes<string>();
  for (const item of items) lanes.add(item.charAt(0), item);
  return lanes;
}

const all = (lanes: FairLanes<string>): string[] => {
  const taken: string[] = [];
  for (let item = lanes.take(); item !== undefined; item = lanes.take()) taken.push(item);
  return taken;
};

test('lanes take turns, and each keeps its order', () => {
  expect(all(filled('a1', 'a2', 'a3', 'b1', 'c1', 'b2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a lane that comes later waits for one item of each other lane, however many they have', () => {
  const lanes = filled(...Array.from({ length: 500 }, (_, i) => `a${i}`));
  expect(lanes.take()).toBe('a0');
  lanes.add('b', 'b1');
  expect([lanes.take(), lanes.take()]).toEqual(['a1', 'b1']);
});

test('a lane whose next item is not accepted is skipped, and is first the next time', () => {
  const lanes = filled('a1', 'b-large', 'c1', 'b2', 'a2');
  expect(lanes.takeWhile((item) => !item.includes('large'))).toEqual(['a1', 'c1', 'a2']);
  expect(lanes.waiting()).toEqual(['b-large', 'b2']);
  lanes.add('a', 'a3');
  expect(all(lanes)).toEqual(['b-large', 'a3', 'b2']);
});

test('nothing is lost, doubled or reordered within a lane, whatever is added and taken in between', () => {
  const step = fc.oneof(fc.constant(null), fc.constantFrom('a', 'b', 'c'));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
      const lanes = new FairLanes<string>();
      const [added, taken]: [string[], string[]] = [[], []];
      for (const [i, lane] of steps.entries()) {
        if (lane === null) taken.push(...[lanes.take()].filter((item) => item !== undefined));
        else {
          lanes.add(lane, `${lane}${i}`);
          added.push(`${lane}${i}`);
        }
        expect(lanes.size).toBe(added.length - taken.length);
      }
      taken.push(...all(lanes));
      for (const lane of ['a', 'b', 'c']) {
        const of = (items: readonly string[]): string[] => items.filter((item) => item.startsWith(lane));
        expect(of(taken)).toEqual(of(added));
      }
    }),
  );
});
