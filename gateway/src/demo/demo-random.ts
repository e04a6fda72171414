/** Chance that repeats: a part of the demo data that is written again after an interruption is the same as before. */
import { firstIdAt } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';

const ID_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_RANDOM_CHARACTERS = 16;

export interface Weighted {
  readonly weight: number;
}

export class DemoRandom {
  #state: number;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (const character of seed) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** In [0, 1). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Like `between`, but small numbers are more frequent, as with the lengths of prompts. */
  skewed(least: number, most: number): number {
    return least + Math.floor(this.fraction() ** 2 * (most - least + 1));
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)] as Item;
  }

  weighted<Item extends Weighted>(items: readonly Item[]): Item {
    let left = this.fraction() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      left -= item.weight;
      if (left < 0) return item;
    }
    return items.at(-1) as Item;
  }

  /** An id of a request at this time. */
  requestId(at: Instant): string {
    const random = Array.from({ length: ID_RANDOM_CHARACTERS }, () => ID_ALPHABET[this.between(0, 31)]);
    return firstIdAt('req', at).slice(0, -ID_RANDOM_CHARACTERS) + random.join('');
  }
}
