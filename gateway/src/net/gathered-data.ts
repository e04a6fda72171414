/**
 * The data of the chunks of one read. A read may contain many small chunks: their data is moved together, so that it is
 * passed on once.
 */
export class GatheredData {
  #start = 0;
  /** 0 if there is nothing. */
  #end = 0;

  /** The data of the next chunk: the bytes of the read from `from` to `to`. */
  add(read: Buffer, from: number, to: number): void {
    if (this.#end === 0) this.#start = this.#end = from;
    if (this.#end < from) read.copyWithin(this.#end, from, to);
    this.#end += to - from;
  }

  clear(): void {
    this.#end = 0;
  }

  /** Null if there is none. To be called before the next read. */
  take(read: Buffer): Buffer | null {
    if (this.#end === 0) return null;
    const data = read.subarray(this.#start, this.#end);
    this.#end = 0;
    return data;
  }
}
