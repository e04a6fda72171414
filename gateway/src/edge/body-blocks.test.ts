import { expect, test } from 'vitest';
import { KIB } from '../kernel/bytes.ts';
import { BLOCK_BYTES, giveBack, takeBlock } from '../memory/body-memory.ts';
import { BodyBlocks } from './body-blocks.ts';
import { CHUNKED } from './request-head.ts';

function keepAll(blocks: BodyBlocks, reads: readonly Buffer[], wanted = true): Buffer[] {
  const kept: Buffer[] = [];
  for (const read of reads) {
    blocks.keep(read, wanted, (part) => kept.push(part));
    // The next read uses the same memory.
    read.fill(0);
  }
  return kept;
}

const reads = (count: number, size: number): Buffer[] =>
  Array.from({ length: count }, (_, i) => Buffer.alloc(size, 65 + i));
const memory = (kept: readonly Buffer[]): number =>
  [...new Set(kept.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);

test.each([
  ['of known length', 600 * KIB],
  ['in chunks', CHUNKED],
])('a body %s is kept byte for byte', (_, bodyBytes) => {
  const sent = Buffer.concat(reads(10, 60 * KIB));
  const kept = keepAll(new BodyBlocks(bodyBytes), reads(10, 60 * KIB));
  expect(Buffer.concat(kept).equals(sent)).toBe(true);
});

test('a body of known length is in a few blocks, and takes no more memory than its length', () => {
  const kept = keepAll(new BodyBlocks(600 * KIB), reads(10, 60 * KIB));
  expect(new Set(kept.map(({ buffer }) => buffer)).size).toBe(3);
  expect(memory(kept)).toBe(600 * KIB);
});

test('bytes that nobody has asked for take no more memory than they have, even if a block is free', () => {
  giveBack(takeBlock(BLOCK_BYTES));
  const blocks = new BodyBlocks(30_000 * KIB);
  expect(memory(keepAll(blocks, reads(1, 64 * KIB), false))).toBe(64 * KIB);
  expect(memory(keepAll(blocks, reads(1, 64 * KIB)))).toBe(256 * KIB);
});
