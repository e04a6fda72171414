/** Finds the end of a JSON object that arrives in pieces, without keeping or parsing it. */
import { JSON_BYTES } from './json-bytes.ts';

const { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, QUOTE } = JSON_BYTES;

export class JsonEndFinder {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;

  /** True once the object is complete. */
  get reached(): boolean {
    return this.#begun && this.#depth === 0;
  }

  push(piece: string): void {
    for (let i = 0; i < piece.length && !this.reached; i++) this.#take(piece.charCodeAt(i));
  }

  #take(character: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === BACKSLASH) this.#escaped = true;
      else if (character === QUOTE) this.#inString = false;
    } else if (character === QUOTE) this.#inString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      this.#depth++;
      this.#begun = true;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) this.#depth--;
  }
}
