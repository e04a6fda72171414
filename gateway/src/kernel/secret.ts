/**
 * A value that must not be logged: a provider key, a database address. It prints as `[secret]` wherever it is logged,
 * concatenated or serialised; only `reveal()` returns it.
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
