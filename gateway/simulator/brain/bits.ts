/** Writes numbers bit by bit, the way video streams have them. */
export class Bits {
  readonly #bytes: number[] = [];
  #free = 0;

  /** So many bits of a number, the highest first. */
  u(bits: number, value: number): this {
    for (let at = bits - 1; at >= 0; at--) {
      if (this.#free === 0) {
        this.#bytes.push(0);
        this.#free = 8;
      }
      this.#free--;
      this.#bytes[this.#bytes.length - 1] =
        (this.#bytes.at(-1) as number) | (((value >>> at) & 1) << this.#free);
    }
    return this;
  }

  /** Numbers in the code of Exp-Golomb: as many zeros as it has further bits, then itself plus one. */
  ue(...values: readonly number[]): this {
    for (const value of values) this.u(2 * (32 - Math.clz32(value + 1)) - 1, value + 1);
    return this;
  }

  /** Zeros up to the next byte. */
  align(): this {
    this.#free = 0;
    return this;
  }

  /** Whole bytes, at the beginning of one. */
  bytes(values: Iterable<number>): this {
    for (const value of values) this.#bytes.push(value);
    return this;
  }

  /** A one and zeros up to the next byte, with which every part of a stream ends. */
  end(): Buffer {
    return Buffer.from(this.u(1, 1).align().#bytes);
  }
}
