/** Reads the parameters of a query, and reports all invalid ones in one error. */
import { type InvalidItem, Problem } from '../kernel/problem.ts';

/** Names of pods and containers that Kubernetes allows. */
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

export class QueryReader {
  readonly #params: URLSearchParams;
  readonly #wrong: InvalidItem[] = [];

  constructor(url: string, known: readonly string[]) {
    const at = url.indexOf('?');
    this.#params = new URLSearchParams(at < 0 ? '' : url.slice(at));
    for (const name of new Set(this.#params.keys())) {
      if (known.includes(name)) continue;
      const shown = name.slice(0, 80);
      this.wrong(
        shown,
        `is not a known parameter; the parameters are: ${known.join(', ')}`,
        'extra_forbidden',
      );
    }
  }

  all(name: string): string[] {
    return this.#params.getAll(name);
  }

  integer(name: string, range: { min: number; max: number }): number | null {
    const text = this.#one(name);
    if (text === null) return null;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= range.min && value <= range.max) return value;
    this.wrong(name, `must be a whole number from ${range.min} to ${range.max}`, 'int_parsing');
    return null;
  }

  flag(name: string): boolean | null {
    const text = this.#one(name);
    if (text === null || text === 'true' || text === 'false') return text === null ? null : text === 'true';
    this.wrong(name, 'must be true or false', 'bool_parsing');
    return null;
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | null {
    const text = this.#one(name);
    const value = values.find((one) => one === text);
    if (text === null || value !== undefined) return value ?? null;
    this.wrong(name, `must be ${values.join(' or ')}`, 'enum');
    return null;
  }

  name(name: string): string | null {
    const text = this.#one(name);
    if (text === null || NAME.test(text)) return text;
    this.wrong(name, 'must be a name of lower-case letters, digits, "-" and "."', 'string_pattern_mismatch');
    return null;
  }

  wrong(name: string, msg: string, type: string): void {
    this.#wrong.push({ loc: ['query', name], msg: `${name} ${msg}`, type });
  }

  text(name: string): string | null {
    return this.#one(name);
  }

  check(): void {
    const [first] = this.#wrong;
    if (first !== undefined) throw new Problem('validation_error', { detail: first.msg, items: this.#wrong });
  }

  /** The same for endpoints that answer as to an invalid field of a body: they name the first parameter. */
  checkFields(): void {
    const [first] = this.#wrong;
    if (first === undefined) return;
    throw new Problem('invalid_parameter', { detail: `${first.msg}.`, param: String(first.loc.at(-1)) });
  }

  #one(name: string): string | null {
    const values = this.#params.getAll(name);
    if (values.length > 1) this.wrong(name, 'must be sent once', 'value_error');
    return values[0] ?? null;
  }
}
