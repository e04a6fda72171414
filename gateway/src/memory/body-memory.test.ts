import { expect, test } from 'vitest';
import { BLOCK_BYTES, beginWrite, endWrite, giveBack, takeBlock } from './body-memory.ts';

/** Marks a block, gives it back, and returns whether the next one is the same memory. */
function usedAgain(block: Buffer): boolean {
  block[7] = 77;
  giveBack(block);
  const next = takeBlock(BLOCK_BYTES);
  const same = next[7] === 77;
  next[7] = 0;
  return same;
}

function freshBlock(): Buffer {
  const block = takeBlock(BLOCK_BYTES);
  block.fill(0);
  return block;
}

test('a block that was given back is used again, and who still refers to it finds nothing', () => {
  const block = freshBlock();
  const view = block.subarray(0, 100);
  expect(usedAgain(block)).toBe(true);
  expect([block.length, view.length, view.buffer.byteLength]).toEqual([0, 0, 0]);
  expect(view.toString('latin1')).toBe('');
});

test('a block is not used again while a socket writes from it, and is once that is done', () => {
  const block = freshBlock();
  const pieces = [block.subarray(0, 10), block.subarray(20, 30)];
  beginWrite(pieces);
  expect(usedAgain(block)).toBe(false);
  expect(block[7]).toBe(77);
  endWrite(pieces);
  expect(usedAgain(block)).toBe(true);
});

test('a block is not used again after a write that never succeeded, even if another one did', () => {
  const block = freshBlock();
  beginWrite([block]);
  beginWrite([block]);
  endWrite([block]);
  expect(usedAgain(block)).toBe(false);
});

test('what is smaller than a block, or needed for few bytes, is left to the garbage collector', () => {
  const small = takeBlock(10_000);
  expect(small.length).toBe(10_000);
  small[7] = 77;
  giveBack(small);
  expect(small[7]).toBe(77);
});

test('giving a block back twice does not give it to two bodies', () => {
  const block = freshBlock();
  giveBack(block);
  giveBack(block);
  const [one, two] = [takeBlock(BLOCK_BYTES), takeBlock(BLOCK_BYTES)];
  one[7] = 1;
  two[7] = 2;
  expect([one[7], two[7]]).toEqual([1, 2]);
});
