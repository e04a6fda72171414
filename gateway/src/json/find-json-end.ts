/** Finds the end of a JSON object that arrives in pieces, without keeping or parsing it. */
import { JSON_BYTES } from './json-bytes.ts';
import { NO_LIMITS } from './json-limits.ts';
import { StringSkipper } from './skip-string.ts';
import { type StructureReader, StructureWalk } from './walk-structure.ts';

const { CLOSE_BRACE, CLOSE_BRACKET } = JSON_BYTES;

export class JsonEndFinder implements StructureReader {
  /** True once the object is complete. */
  reached = false;
  #inString = false;
  readonly #skipper = new StringSkipper();
  readonly #walk = new StructureWalk(NO_LIMITS, this, 1);

  push(text: string): void {
    if (this.reached) return;
    const piece = Buffer.from(text);
    const outside = this.#inString ? this.#skip(piece, 0) + 1 : 0;
    if (!this.#inString) this.#walk.walk(piece, outside);
  }

  meet(byte: number, _: number, depth: number): boolean {
    this.reached = depth === 1 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET);
    return !this.reached;
  }

  string(piece: Uint8Array, quote: number): number {
    return this.#skip(piece, quote + 1);
  }

  #skip(piece: Uint8Array, from: number): number {
    const end = this.#skipper.end(piece, from);
    this.#inString = end < 0;
    return end;
  }
}
