import { describe, expect, test } from 'vitest';
import {
  type AnswerMemory,
  AnswerShares,
  HELD_BYTES_MAX,
  KEY_BYTES_MAX,
  SMALL_BYTES,
  SPACE_BYTES_MAX,
} from './answer-shares.ts';

const MIB = 1024 * 1024;

function open(shares: AnswerShares, spaceId: string, keyId: string): AnswerMemory {
  const owner = { spaceId, keyId, spaceName: spaceId };
  return shares.open({ owner, add: () => undefined, giveBack: () => undefined });
}

describe('the shares of running answers', () => {
  test('a space alone has half, its only key half of that, and another space finds its own', () => {
    const shares = new AnswerShares();
    const first = open(shares, 'a', 'a1');
    first.take(HELD_BYTES_MAX / 4);
    expect(first.isFull).toBe(false);
    first.take(1);
    expect(first.isFull).toBe(true);
    const second = open(shares, 'a', 'a2');
    second.take(5 * MIB);
    expect(second.isFull).toBe(false);
    const other = open(shares, 'b', 'b1');
    other.take(10 * MIB);
    expect(other.isFull).toBe(false);
  });

  test('whatever others hold, a small answer never waits', () => {
    const shares = new AnswerShares();
    const greedy = open(shares, 'a', 'a1');
    greedy.take(HELD_BYTES_MAX);
    const small = open(shares, 'b', 'b1');
    small.take(SMALL_BYTES);
    expect([greedy.isFull, small.isFull]).toEqual([true, false]);
    small.take(1);
    expect(small.isFull).toBe(true);
  });

  test('an answer is given up only for what its own key or space holds', () => {
    const shares = new AnswerShares();
    const [first, second] = [open(shares, 'a', 'a1'), open(shares, 'a', 'a2')];
    expect([first.take(KEY_BYTES_MAX), first.take(1)]).toEqual([true, false]);
    expect(second.take(SPACE_BYTES_MAX - KEY_BYTES_MAX)).toBe(true);
    expect(open(shares, 'a', 'a3').take(1)).toBe(false);
    expect(open(shares, 'b', 'b1').take(KEY_BYTES_MAX)).toBe(true);
    first.giveBack(1);
    expect(first.take(1)).toBe(true);
  });

  test('all of it is given back at the end', () => {
    const shares = new AnswerShares();
    const memory = open(shares, 'a', 'a1');
    memory.take(HELD_BYTES_MAX);
    memory.giveBack(HELD_BYTES_MAX / 2);
    memory.close();
    memory.close();
    expect(shares.held).toBe(0);
    const next = open(shares, 'a', 'a1');
    next.take(MIB);
    expect(next.isFull).toBe(false);
  });
});
