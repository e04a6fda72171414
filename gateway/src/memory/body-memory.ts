/**
 * Memory of large bodies that is used again. Otherwise the system maps, clears and unmaps it for every call, and the
 * garbage collector runs often to find what can be freed.
 *
 * Bytes of one caller must never be sent for another. So memory is used again only if nothing can read its old bytes:
 * its buffer is detached, so that a reference to it is empty, and no socket is writing from it.
 */
import { KIB } from '../kernel/bytes.ts';
import { usesInside } from '../kernel/node-insides.ts';

export const BLOCK_BYTES = 256 * KIB;
/** For fewer bytes a block would be a waste: mapping them is cheap. */
const SMALL_BYTES = 32 * KIB;
/** More blocks are left to the garbage collector. */
const FREE_MAX = 64;

/** Only referred to weakly: a process that becomes idle collects its garbage, and this memory with it. */
let free = new WeakRef<ArrayBuffer[]>([]);
/** Writes from the memory that have not succeeded. A write that failed is never taken off. */
const writes = new WeakMap<ArrayBufferLike, number>();

/** Memory for at least the next of `bytes` that are to come. */
export function takeBlock(bytes: number): Buffer {
  if (bytes < SMALL_BYTES) return Buffer.allocUnsafe(bytes);
  const memory = free.deref()?.pop();
  if (memory !== undefined) return Buffer.from(memory);
  // The system provides the pages of a block when bytes arrive, so that a larger block takes no more memory.
  return Buffer.allocUnsafe(bytes < BLOCK_BYTES / 2 ? bytes : BLOCK_BYTES);
}

/** Makes the block empty for everyone who refers to it. Called when nobody needs its bytes any more. */
export function giveBack({ buffer }: Buffer): void {
  if (!usesInside('reused-memory')) return;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== BLOCK_BYTES || writes.has(buffer)) return;
  let list = free.deref();
  if (list === undefined) {
    list = [];
    free = new WeakRef(list);
  }
  if (list.length < FREE_MAX) list.push(buffer.transfer());
}

/** A socket begins to write the pieces. */
export function beginWrite(pieces: readonly Buffer[]): void {
  for (const { buffer } of pieces) writes.set(buffer, (writes.get(buffer) ?? 0) + 1);
}

/** All pieces were written, and none failed. */
export function endWrite(pieces: readonly Buffer[]): void {
  for (const { buffer } of pieces) {
    const others = (writes.get(buffer) ?? 1) - 1;
    if (others > 0) writes.set(buffer, others);
    else writes.delete(buffer);
  }
}
