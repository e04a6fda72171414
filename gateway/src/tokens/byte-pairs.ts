/**
 * Counts the tokens of a word by byte-pair encoding: the pair of neighbours with the lowest rank is joined until no pair is
 * a token. The vocabulary is a tree of bytes in typed arrays. Looking up a piece of a word walks a few bytes and makes no
 * string, so that words that are no language cost little more than English.
 */

/** The token of each rank: a text, or bytes that are no text. */
export type Vocabulary = ReadonlyArray<string | readonly number[] | undefined>;

const NO_RANK = 0x7fffffff;
const ROOT = 0;
const NO_NODE = -1;
/** Multiplied with a key, it spreads the keys over the slots (Knuth). */
const SPREAD = 0x9e3779b1;

export class BytePairs {
  /** Open addressing: node and byte, plus one so that zero is free; and the node below. */
  #keys = new Int32Array(0);
  #nodes = new Int32Array(0);
  #shift = 32;
  #ranks = new Int32Array(0);
  #nodeCount = 1;
  readonly #encoder = new TextEncoder();
  /** The bytes of the word, and of each piece: where it starts, its node, and the rank of it with the next one. */
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  readonly #pieces: Int32Array;
  readonly #pairs: Int32Array;

  /** `charactersMax`: of a word, in UTF-16 units. */
  constructor(vocabulary: Vocabulary, charactersMax: number) {
    const bytesMax = charactersMax * 3;
    this.#bytes = new Uint8Array(bytesMax);
    this.#starts = new Int32Array(bytesMax + 2);
    this.#pieces = new Int32Array(bytesMax + 1);
    this.#pairs = new Int32Array(bytesMax + 1);
    const bytes = vocabulary.map((token) => this.#bytesOf(token ?? []));
    const nodesMax = bytes.reduce((sum, token) => sum + token.length, 1);
    this.#ranks = new Int32Array(nodesMax).fill(NO_RANK);
    this.#makeSlots(nodesMax);
    for (const [rank, token] of bytes.entries()) if (token.length > 0) this.#add(token, rank);
    this.#ranks = this.#ranks.slice(0, this.#nodeCount);
  }

  count(word: string): number {
    const { written } = this.#encoder.encodeInto(word, this.#bytes);
    const whole = this.#walk(ROOT, 0, written);
    if (whole !== NO_NODE && this.#ranks[whole] !== NO_RANK) return 1;
    return this.#merge(written);
  }

  #bytesOf(token: string | readonly number[]): Uint8Array {
    return typeof token === 'string' ? this.#encoder.encode(token) : Uint8Array.from(token);
  }

  /** Prefixes that tokens share make far fewer nodes than bytes, so that at most half of the slots are used. */
  #makeSlots(nodesMax: number): void {
    const bits = Math.ceil(Math.log2(nodesMax));
    this.#shift = 32 - bits;
    this.#keys = new Int32Array(2 ** bits);
    this.#nodes = new Int32Array(2 ** bits);
  }

  #add(token: Uint8Array, rank: number): void {
    let node = ROOT;
    for (const byte of token) {
      const slot = this.#slot(node, byte);
      if (this.#keys[slot] === 0) {
        this.#keys[slot] = keyOf(node, byte);
        this.#nodes[slot] = this.#nodeCount++;
      }
      node = this.#nodes[slot] as number;
    }
    this.#ranks[node] = rank;
  }

  /** The slot of a child, or the free one where it would be. */
  #slot(node: number, byte: number): number {
    const keys = this.#keys;
    const key = keyOf(node, byte);
    let slot = Math.imul(key, SPREAD) >>> this.#shift;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = slot + 1 === keys.length ? 0 : slot + 1;
    return slot;
  }

  /** The node of the bytes after those of a node. */
  #walk(node: number, from: number, to: number): number {
    let at = node;
    for (let i = from; i < to; i++) {
      const slot = this.#slot(at, this.#bytes[i] as number);
      if (this.#keys[slot] === 0) return NO_NODE;
      at = this.#nodes[slot] as number;
    }
    return at;
  }

  #merge(bytes: number): number {
    const [starts, pieces, pairs] = [this.#starts, this.#pieces, this.#pairs];
    let count = bytes;
    for (let i = 0; i < count; i++) {
      starts[i] = i;
      pieces[i] = this.#walk(ROOT, i, i + 1);
    }
    starts[count] = count;
    for (let i = 0; i + 1 < count; i++) pairs[i] = this.#rankOfPair(i);
    for (;;) {
      let [lowest, at] = [NO_RANK, -1];
      for (let i = 0; i + 1 < count; i++) {
        if ((pairs[i] as number) < lowest) {
          lowest = pairs[i] as number;
          at = i;
        }
      }
      if (at < 0) return count;
      pieces[at] = this.#walk(pieces[at] as number, starts[at + 1] as number, starts[at + 2] as number);
      starts.copyWithin(at + 1, at + 2, count + 1);
      pieces.copyWithin(at + 1, at + 2, count);
      pairs.copyWithin(at, at + 1, count);
      count--;
      if (at + 1 < count) pairs[at] = this.#rankOfPair(at);
      if (at > 0) pairs[at - 1] = this.#rankOfPair(at - 1);
    }
  }

  /** The rank of a piece joined with the next one, if that is a token. */
  #rankOfPair(i: number): number {
    const [from, to] = [this.#starts[i + 1] as number, this.#starts[i + 2] as number];
    const node = this.#walk(this.#pieces[i] as number, from, to);
    return node === NO_NODE ? NO_RANK : (this.#ranks[node] as number);
  }
}

function keyOf(node: number, byte: number): number {
  return ((node << 8) | byte) + 1;
}
