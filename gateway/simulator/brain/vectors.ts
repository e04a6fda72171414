/**
 * Embeddings out of thin air: a vector of length one for each text, the same each time, and far from
 * that of any other. All vectors of a space have the same numbers in another order and with other
 * signs, so that their length is known beforehand and their digits are made but once.
 */
import { hashText, rollDice } from './words.ts';

/** The numbers that keep together, each with its two signs in all ways. */
const GROUP = 4;
const SIGNS = 1 << GROUP;
const DIGITS = 1e8;
const TOKENS_SEED = hashText('tokens');

/** The same for the same text, or for the same token ids. */
export function seedOf(input: string | readonly number[]): number {
  return typeof input === 'string' ? hashText(input) : hashText(input.join(), TOKENS_SEED);
}

export class VectorSpace {
  readonly dimensions: number;
  readonly #groups: number;
  /** For each group and each way of its signs: its numbers, and the same in digits. */
  readonly #numbers: Float64Array[] = [];
  readonly #digits: string[] = [];

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#groups = dimensions / GROUP;
    const dice = rollDice(dimensions);
    const sizes = toLengthOne(Float64Array.from({ length: dimensions }, () => 0.1 + dice()));
    for (let group = 0; group < this.#groups; group++) {
      for (let signs = 0; signs < SIGNS; signs++) {
        const numbers = sizes.slice(group * GROUP, (group + 1) * GROUP);
        for (let i = 0; i < GROUP; i++) if ((signs >> i) & 1) numbers[i] = -(numbers[i] as number);
        this.#numbers.push(numbers);
        this.#digits.push(numbers.join());
      }
    }
  }

  /** The first numbers of the vector, as they are. */
  numbers(seed: number, count = this.dimensions): Float64Array {
    const numbers = new Float64Array(this.dimensions);
    this.#walk(seed, Math.ceil(count / GROUP), (index, place) => {
      numbers.set(this.#numbers[index] as Float64Array, place * GROUP);
    });
    return numbers.subarray(0, count);
  }

  /** The whole vector in digits, with commas between. */
  write(seed: number): string {
    let text = '';
    this.#walk(seed, this.#groups, (index, place) => {
      text += (place === 0 ? '' : ',') + (this.#digits[index] as string);
    });
    return text;
  }

  #walk(seed: number, groups: number, visit: (index: number, place: number) => void): void {
    const dice = rollDice(seed);
    const first = Math.floor(dice() * this.#groups);
    let bits = 0;
    for (let place = 0; place < groups; place++) {
      if (place % 8 === 0) bits = (dice() * 4_294_967_296) >>> 0;
      visit(((first + place) % this.#groups) * SIGNS + (bits & (SIGNS - 1)), place);
      bits >>>= GROUP;
    }
  }
}

/** The same direction with the length one, in numbers of few digits. */
export function toLengthOne(vector: Float64Array): Float64Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const scale = 1 / Math.sqrt(sum);
  return vector.map((value) => Math.round(value * scale * DIGITS) / DIGITS);
}

const spaces = new Map<number, VectorSpace>();

/** Made once each: there are few. */
export function spaceOf(dimensions: number): VectorSpace {
  let space = spaces.get(dimensions);
  if (space === undefined) {
    space = new VectorSpace(dimensions);
    spaces.set(dimensions, space);
  }
  return space;
}
