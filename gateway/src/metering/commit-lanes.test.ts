import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CommitLanes, LANES_MAX, LOW_COMMITS, SPACES_HIGH, SPACES_LOW } from './commit-lanes.ts';

function lanesOf(count: number): CommitLanes {
  const lanes = new CommitLanes(LANES_MAX);
  while (lanes.count < count) lanes.committed(SPACES_HIGH);
  return lanes;
}

describe('lanes of commits', () => {
  test('are more as soon as a commit has many spaces, and never more than allowed', () => {
    const lanes = new CommitLanes(4);
    const counts = [SPACES_HIGH - 1, SPACES_HIGH, 500, 500].map((spaces) => {
      lanes.committed(spaces);
      return lanes.count;
    });
    expect(counts).toEqual([1, 2, 4, 4]);
    const single = new CommitLanes(1);
    single.committed(500);
    expect(single.count).toBe(1);
  });

  test('are fewer only after many commits in a row with few spaces', () => {
    const lanes = lanesOf(4);
    const commit = (times: number): number => {
      for (let i = 0; i < times; i++) lanes.committed(SPACES_LOW);
      return lanes.count;
    };
    expect(commit(LOW_COMMITS - 1)).toBe(4);
    lanes.committed(SPACES_LOW + 1);
    expect(commit(LOW_COMMITS - 1)).toBe(4);
    expect(commit(1)).toBe(2);
    expect(commit(LOW_COMMITS)).toBe(1);
    expect(commit(LOW_COMMITS)).toBe(1);
  });

  test('of two processes have a space in common only if one is a part of the other', () => {
    fc.assert(
      fc.property(fc.string(), (space) => {
        const [one, two, four] = [1, 2, 4].map((count) => lanesOf(count).laneOf(space)) as [
          number,
          number,
          number,
        ];
        expect(one).toBe(0);
        expect(four % 2).toBe(two);
        expect(four).toBeLessThan(4);
      }),
    );
  });

  test('have equal shares of the spaces', () => {
    const lanes = lanesOf(4);
    const shares = [0, 0, 0, 0];
    for (let i = 0; i < 4_000; i++) {
      const lane = lanes.laneOf(`space_${i}`);
      shares[lane] = (shares[lane] ?? 0) + 1;
    }
    for (const share of shares) expect(Math.abs(share - 1_000)).toBeLessThan(150);
  });
});
