/** Notes where the values of the outermost object's fields are, while its structure is walked over. */
import { JSON_BYTES, skipSpace, skipSpaceBack } from './json-bytes.ts';
import type { StructureReader } from './walk-structure.ts';

const { COLON, OPEN_BRACE, OPEN_BRACKET } = JSON_BYTES;

/** A half-open range of bytes: the value of one field of the outermost object. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export class FieldRanges implements StructureReader {
  readonly #ranges = new Map<string, ByteRange>();
  readonly #readName: (since: number) => string | null;
  /** The field whose value is being read. */
  #name: string | null = null;
  #start = 0;
  /** Where the next name may begin. */
  #since = 0;
  /** False once a name could not be read. */
  known = true;

  /** `readName` returns the name before a colon, if it begins behind `since` and can be read. */
  constructor(readName: (since: number) => string | null) {
    this.#readName = readName;
  }

  /** Ends the walk at a field without a name. */
  meet(byte: number, at: number, depth: number): boolean {
    if (depth !== 1) return true;
    if (byte === COLON) {
      this.#name = this.#name === null ? this.#readName(this.#since) : null;
      this.#start = at + 1;
      this.#since = at;
      if (this.#name !== null) return true;
      this.known = false;
      return false;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#since = at;
    else if (this.#name !== null) {
      this.#ranges.set(this.#name, { start: this.#start, end: at });
      this.#since = at;
      this.#name = null;
    }
    return true;
  }

  /** The fields that are complete, without the spaces around their values. */
  within(bytes: Uint8Array): ReadonlyMap<string, ByteRange> {
    for (const [name, { start, end }] of this.#ranges)
      this.#ranges.set(name, { start: skipSpace(bytes, start), end: skipSpaceBack(bytes, end) });
    return this.#ranges;
  }
}
