/**
 * Writes a text that fits a regular expression, as far as the patterns of schemas go: literals, classes, groups,
 * alternatives and repetitions. Null if the pattern says more than that.
 */
import { type Dice, pick } from './words.ts';

/** A pattern such as `a*` is answered briefly. */
const MORE_MAX = 3;
const DIGITS = [...'0123456789'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const classes: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...LETTERS, ...DIGITS],
  s: [' '],
};
const ANY = [...LETTERS, ...DIGITS];

export function fitPattern(pattern: string, dice: Dice): string | null {
  try {
    const text = new PatternWriter(pattern, dice).write();
    return new RegExp(pattern, 'u').test(text) ? text : null;
  } catch {
    return null;
  }
}

class PatternWriter {
  readonly #pattern: readonly string[];
  readonly #dice: Dice;
  #at = 0;

  constructor(pattern: string, dice: Dice) {
    this.#pattern = [...pattern];
    this.#dice = dice;
  }

  write(): string {
    return this.#alternatives()();
  }

  /** Each part is read into a function that writes it, because a repetition writes it several times. */
  #alternatives(): () => string {
    const branches = [this.#sequence()];
    while (this.#pattern[this.#at] === '|') {
      this.#at++;
      branches.push(this.#sequence());
    }
    return () => pick(branches, this.#dice)();
  }

  #sequence(): () => string {
    const parts: Array<() => string> = [];
    while (this.#at < this.#pattern.length && !['|', ')'].includes(this.#pattern[this.#at] as string)) {
      const atom = this.#atom();
      const [least, most] = this.#times();
      parts.push(() => {
        const times = least + Math.floor(this.#dice() * (Math.min(most, least + MORE_MAX) - least + 1));
        return Array.from({ length: times }, atom).join('');
      });
    }
    return () => parts.map((part) => part()).join('');
  }

  #atom(): () => string {
    const character = this.#pattern[this.#at++] as string;
    if (character === '^' || character === '$') return () => '';
    if (character === '[') return this.#oneOf(this.#set());
    if (character === '\\') return this.#oneOf(this.#escaped());
    if (character === '.') return this.#oneOf(ANY);
    if (character !== '(') return () => character;
    if (this.#pattern[this.#at] === '?') this.#at += 2;
    const inside = this.#alternatives();
    this.#at++;
    return inside;
  }

  #oneOf(characters: readonly string[]): () => string {
    return () => pick(characters, this.#dice);
  }

  #escaped(): readonly string[] {
    const name = this.#pattern[this.#at++] as string;
    return classes[name] ?? [name];
  }

  #set(): readonly string[] {
    const isNot = this.#pattern[this.#at] === '^';
    if (isNot) this.#at++;
    const found: string[] = [];
    while (this.#pattern[this.#at] !== ']') {
      if (this.#at >= this.#pattern.length) throw new Error('the class has no end');
      const first = this.#pattern[this.#at++] as string;
      if (first === '\\') found.push(...this.#escaped());
      else if (this.#pattern[this.#at] === '-' && this.#pattern[this.#at + 1] !== ']') {
        found.push(...between(first, this.#pattern[this.#at + 1] as string));
        this.#at += 2;
      } else found.push(first);
    }
    this.#at++;
    return isNot ? ANY.filter((one) => !found.includes(one)) : found;
  }

  #times(): readonly [least: number, most: number] {
    const rest = this.#pattern.slice(this.#at, this.#at + 20).join('');
    const [whole = '', sign = '', least = '', comma = '', most = ''] =
      /^(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/.exec(rest) ?? [];
    this.#at += whole.length;
    if (sign !== '') return sign === '?' ? [0, 1] : [sign === '*' ? 0 : 1, Number.POSITIVE_INFINITY];
    if (whole === '') return [1, 1];
    if (comma === '') return [Number(least), Number(least)];
    return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }
}

function between(first: string, last: string): string[] {
  const [from = 0, to = 0] = [first.codePointAt(0), last.codePointAt(0)];
  return Array.from({ length: Math.min(to - from + 1, 200) }, (_, i) => String.fromCodePoint(from + i));
}
