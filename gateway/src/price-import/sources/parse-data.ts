/**
 * Parses the data of a price source: JSON, or the literal that a published script begins with. Numbers stay text, so that
 * `2.5e-06` is exact. Nothing is executed. Errors name the line.
 */
import { ConfigError } from '../../yaml/config-error.ts';

/** A number as it was written. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Data = string | NumberText | boolean | null | readonly Data[] | DataObject;
export interface DataObject {
  readonly [key: string]: Data;
}

const DEPTH_MAX = 100;
const SCRIPT_START = /^\s*(?:export\s+)?(?:const|let|var)\s+[\w$]+\s*=\s*/;
const SPACE = /\s*/y;
const NUMBER = /-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const IDENTIFIER = /[A-Za-z_$][\w$]*/y;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

export function isDataObject(value: Data | undefined): value is DataObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText)
  );
}

/** A script may go on after its first literal; JSON may not. */
export function parseData(text: string): Data {
  const script = SCRIPT_START.exec(text);
  const reader = new DataReader(text, script?.[0].length ?? 0);
  const value = reader.value(0);
  if (script === null) reader.end();
  return value;
}

class DataReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = text.codePointAt(start) === 0xfeff ? start + 1 : start;
  }

  value(depth: number): Data {
    if (depth > DEPTH_MAX) throw this.#error('is nested too deeply');
    this.#take(SPACE);
    const next = this.#text[this.#at] ?? '';
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#list(depth);
    if (next === '"' || next === "'" || next === '`') return this.#string(next);
    if (next === '!') return this.#shortBoolean();
    const number = this.#take(NUMBER);
    return number === '' ? this.#word() : new NumberText(number);
  }

  end(): void {
    this.#take(SPACE);
    if (this.#at < this.#text.length) throw this.#error('goes on after its end');
  }

  #object(depth: number): DataObject {
    const found = new Map<string, Data>();
    this.#at++;
    while (!this.#closes('}')) {
      const key = this.#key();
      if (found.has(key)) throw this.#error(`has ${JSON.stringify(key.slice(0, 80))} twice`);
      this.#expect(':');
      found.set(key, this.value(depth + 1));
      this.#separates('}');
    }
    return Object.fromEntries(found);
  }

  #list(depth: number): Data[] {
    const items: Data[] = [];
    this.#at++;
    while (!this.#closes(']')) {
      items.push(this.value(depth + 1));
      this.#separates(']');
    }
    return items;
  }

  #key(): string {
    const quote = this.#text[this.#at] ?? '';
    if (quote === '"' || quote === "'") return this.#string(quote);
    const word = this.#take(IDENTIFIER);
    if (word === '') throw this.#error('must have a name here');
    return word;
  }

  #string(quote: string): string {
    let text = '';
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const next = this.#text[at] as string;
      if (next === quote) {
        this.#at = at + 1;
        return text;
      }
      if (next === '\n' && quote !== '`') break;
      if (next !== '\\') {
        text += next;
        continue;
      }
      const escaped = this.#text[++at] ?? '';
      if (escaped === 'u') {
        text += String.fromCharCode(Number.parseInt(this.#text.slice(at + 1, at + 5), 16));
        at += 4;
      } else text += ESCAPES[escaped] ?? escaped;
    }
    throw this.#error('has a text without an end');
  }

  /** `!0` and `!1`, as minified scripts have them. */
  #shortBoolean(): boolean {
    const digit = this.#text[++this.#at];
    if (digit !== '0' && digit !== '1') throw this.#error('is not data');
    this.#at++;
    return digit === '0';
  }

  #word(): boolean | null {
    const word = this.#take(IDENTIFIER);
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    throw this.#error('is not JSON');
  }

  #closes(end: string): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== end) return false;
    this.#at++;
    return true;
  }

  #separates(end: string): void {
    this.#take(SPACE);
    if (this.#text[this.#at] === ',') this.#at++;
    else if (this.#text[this.#at] !== end) throw this.#error(`needs "," or "${end}" here`);
  }

  #expect(mark: string): void {
    this.#take(SPACE);
    if (this.#text[this.#at] !== mark) throw this.#error(`needs "${mark}" here`);
    this.#at++;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #error(problem: string): ConfigError {
    return new ConfigError(`line ${this.#text.slice(0, this.#at).split('\n').length} ${problem}`);
  }
}
