/** A count of texts that can be interrupted, so that others have their turn. */
import type { BytePairs } from './byte-pairs.ts';
import { wordPattern } from './split-words.ts';

/** The time is looked at after so many words. */
const WORDS_AT_ONCE = 64;

export class TextCount {
  readonly #texts: readonly string[];
  readonly #words = wordPattern();
  #text = 0;
  tokens = 0;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  /** Counts on until `isOver` says so. True when everything is counted. */
  run(pairs: BytePairs, isOver: () => boolean): boolean {
    let words = 0;
    for (; this.#text < this.#texts.length; this.#text++) {
      const text = this.#texts[this.#text] as string;
      for (let found = this.#words.exec(text); found !== null; found = this.#words.exec(text)) {
        this.tokens += pairs.count(found[0]);
        if (++words % WORDS_AT_ONCE === 0 && isOver()) return false;
      }
    }
    return true;
  }
}
