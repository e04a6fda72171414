/** The functions of Go templates, sprig and Helm that deploy/helm uses. */
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';

type TemplateFunction = (...args: never[]) => unknown;

const functions: Readonly<Record<string, TemplateFunction>> = {
  add: (...terms: number[]) => terms.reduce((sum, term) => sum + term, 0),
  contains: (part: string, text: string) => text.includes(part),
  default: (fallback: unknown, value: unknown) => (isTruthy(value) ? value : fallback),
  div: (a: number, b: number) => Math.trunc(a / b),
  int: (value: unknown) => Math.trunc(Number(value)),
  nindent: (spaces: number, text: string) =>
    `\n${text
      .split('\n')
      .map((line) => ' '.repeat(spaces) + line)
      .join('\n')}`,
  not: (value: unknown) => !isTruthy(value),
  printf: (format: string, ...values: unknown[]) => format.replaceAll('%s', () => String(values.shift())),
  quote: (value: unknown) => JSON.stringify(printed(value)),
  replace: (from: string, to: string, text: string) => text.replaceAll(from, to),
  required: (message: string, value: unknown) => {
    if (value === undefined || value === null || value === '') throw new Error(message);
    return value;
  },
  sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
  toYaml: (value: unknown) =>
    stringify(value, { lineWidth: 0, sortMapEntries: true, indentSeq: false }).trimEnd(),
  trim: (text: string) => text.trim(),
  trimSuffix: (suffix: string, text: string) =>
    text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  trunc: (length: number, text: string) => text.slice(0, length),
};

export function callFunction(name: string, args: readonly unknown[]): unknown {
  const found = functions[name];
  if (found === undefined) throw new Error(`the function ${name} is not supported`);
  return found(...(args as never[]));
}

/** Go: nothing, zero, false and whatever is empty count as false. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

export function printed(value: unknown): string {
  if (typeof value === 'object' && value !== null) throw new Error('a map or list is printed; use toYaml');
  return value === undefined || value === null ? '' : String(value);
}
