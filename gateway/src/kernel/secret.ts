/**
 * A value that must not be seen: a provider key, a database address. It prints as `[secret]`
 * wherever it is logged, joined or serialised; only `reveal()` gives it away.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  get empty(): boolean {
    return this.#value === '';
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}
