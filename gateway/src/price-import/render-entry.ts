/** Writes the prices of a model as YAML: on one line if they fit. Pure. */
import { tokenComponents } from '../contract/price-components.ts';
import type { PriceEntries, PriceEntry } from '../price-sheets/price-entry.ts';

const WIDTH = 120;
/** Some readers of YAML take `01:00` for a number. */
const CLOCK = /^\d{2}:\d{2}$/;
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._/+:-]*(?: [A-Za-z0-9._/+-]+)*$/;

/** Plain prices before special ones, and where they come from last. */
const ORDER: readonly string[] = [
  'from',
  ...tokenComponents,
  ...[
    'request',
    'tools',
    'per_image',
    'per_second',
    'batch_input',
    'batch_output',
    'when',
    'as_of',
    'source',
  ],
];

type Fields = Readonly<Record<string, unknown>>;

/** The lines from the model code on, indented by `indent`. */
export function renderEntry(code: string, entries: PriceEntries, indent: number): string {
  const pad = ' '.repeat(indent);
  const key = `${pad}${scalar(code)}:`;
  if (Array.isArray(entries)) {
    const items = (entries as PriceEntry[]).map((entry) => listItem(ordered(entry), indent + 2));
    return [key, ...items].join('\n');
  }
  const fields = ordered(entries as PriceEntry);
  const line = `${key} ${flow(fields)}`;
  return line.length <= WIDTH ? line : [key, ...block(fields, indent + 2)].join('\n');
}

function ordered(entry: PriceEntry): Fields {
  return Object.fromEntries(Object.entries(entry).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b)));
}

/** A field per line; rules and tables on one line each if they fit. */
function block(fields: Fields, indent: number): string[] {
  const pad = ' '.repeat(indent);
  return Object.entries(fields).flatMap(([name, value]) => {
    if (Array.isArray(value))
      return [`${pad}${name}:`, ...value.map((item) => listItem(item as Fields, indent + 2))];
    const line = `${pad}${scalar(name)}: ${flow(value)}`;
    if (line.length <= WIDTH || typeof value !== 'object') return [line];
    return [`${pad}${scalar(name)}:`, ...block(value as Fields, indent + 2)];
  });
}

function listItem(item: Fields, indent: number): string {
  const line = `${' '.repeat(indent)}- ${flow(item)}`;
  if (line.length <= WIDTH) return line;
  const [first = '', ...rest] = block(item, indent + 2);
  return [`${' '.repeat(indent)}- ${first.trimStart()}`, ...rest].join('\n');
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalar(String(value));
  const fields = Object.entries(value).map(([name, item]) => `${scalar(name)}: ${flow(item)}`);
  return `{ ${fields.join(', ')} }`;
}

function scalar(text: string): string {
  return PLAIN.test(text) && !text.endsWith(':') && !CLOCK.test(text) ? text : JSON.stringify(text);
}
