/** Sees the end of one JSON object that comes in pieces, without keeping or parsing it. */
export class JsonEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;

  /** True once the object is whole. */
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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
