/**
 * Keeps the bytes of a body, which come in a buffer that all connections share. A body of known length goes into a few
 * large blocks: neighbouring parts stay neighbours, and can be sent on as one.
 */
import { takeBlock } from '../memory/body-memory.ts';
import { CHUNKED } from './request-head.ts';

export class BodyBlocks {
  /** Not in a block yet; 0 if the length is not known. */
  #missing: number;
  #block: Buffer | null = null;
  #used = 0;

  constructor(bodyBytes: number) {
    this.#missing = bodyBytes === CHUNKED ? 0 : bodyBytes;
  }

  /**
   * Calls back with the copy, which may be in two parts. Bytes that are not `wanted` yet get only the memory that they
   * need: a caller whose key and budget were not checked must not take blocks by announcing a length.
   */
  keep(bytes: Buffer, wanted: boolean, onKept: (kept: Buffer) => void): void {
    let from = 0;
    while (from < bytes.length) {
      this.#block ??= this.#newBlock(bytes.length - from, wanted);
      const block = this.#block;
      const copied = bytes.copy(block, this.#used, from);
      const kept = block.subarray(this.#used, this.#used + copied);
      from += copied;
      this.#used += copied;
      if (this.#used === block.length) this.#block = null;
      onKept(kept);
    }
  }

  #newBlock(arrived: number, wanted: boolean): Buffer {
    const block = wanted && this.#missing > 0 ? takeBlock(this.#missing) : Buffer.allocUnsafe(arrived);
    this.#missing = Math.max(0, this.#missing - block.length);
    this.#used = 0;
    return block;
  }
}
