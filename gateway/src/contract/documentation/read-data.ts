/**
 * Reads the JSON files of this folder: descriptions, requests and answers as data. An object with one of these names
 * stands for a value that JSON cannot write, or not shortly:
 *
 * - `$result`: what the first example of another endpoint answered; `at`, `part` and `fresh` as in `ExampleResult`
 * - `$given`: something that the installation has; `shown` is what readers see
 * - `$part`: a part of the same file by its name; the other fields are added to it or replace its own
 * - `$cost`: the cost in an answer, of so many units
 * - `$events`: server-sent events as text, with an `event:` line if they are `named`
 * - `$lines`: objects as lines of JSON
 * - `$repeat`: a text or a list, so many `times`
 */
import { COST_DISCLAIMER } from '../cost.ts';
import type { EndpointName } from '../endpoints.ts';
import { ExampleGiven, ExampleResult } from './example-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The file as the documentation uses it; the tests of the OpenAPI document check its shape. */
export function readData<Data>(file: object & { readonly parts?: object }): Data {
  const { parts = {}, ...data } = file;
  return new DataReader(parts).read(data) as Data;
}

class DataReader {
  readonly #parts: Fields;

  constructor(parts: object) {
    this.#parts = parts as Fields;
  }

  read(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.read(item));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.read(field)]));
    const [name = ''] = Object.keys(fields);
    return name.startsWith('$') ? this.#stoodFor(name, fields) : fields;
  }

  #stoodFor(name: string, { [name]: value, ...fields }: Fields): unknown {
    switch (name) {
      case '$result':
        return exampleResult(value as EndpointName, fields);
      case '$given':
        return new ExampleGiven(value as string, fields.shown as string | number);
      case '$part':
        return { ...this.#part(value as string), ...fields };
      case '$cost':
        return { amount: value, currency: 'unit', disclaimer: COST_DISCLAIMER };
      case '$events':
        return (value as unknown[]).map((event) => eventText(event, fields.named === true)).join('');
      case '$lines':
        return (value as unknown[]).map((line) => `${JSON.stringify(line)}\n`).join('');
      case '$repeat':
        return repeated(value as string | unknown[], fields.times as number);
      default:
        throw new Error(`${name} stands for nothing in the data of the documentation`);
    }
  }

  #part(name: string): object {
    if (!(name in this.#parts)) throw new Error(`the file has no part ${name}`);
    return this.read(this.#parts[name]) as object;
  }
}

function exampleResult(operation: EndpointName, { at, part, fresh }: Fields): ExampleResult {
  return new ExampleResult(operation, at as string, {
    ...(part !== undefined && { part: new RegExp(part as string) }),
    ...(fresh === true && { fresh }),
  });
}

/** A text is sent as it is, such as `[DONE]`. */
function eventText(event: unknown, named: boolean): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const name = named ? `event: ${(event as { type: string }).type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

function repeated(value: string | unknown[], times: number): string | unknown[] {
  if (typeof value === 'string') return value.repeat(times);
  return Array.from({ length: times }, () => value).flat();
}
