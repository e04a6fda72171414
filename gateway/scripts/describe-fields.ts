/** The tables of docs/formats.md that say where every field arrives, made from what test/text/carried-fields.test.ts observes. */
import { GONE } from '../test/fields/difference.ts';
import { type Fate, type FieldCases, fateOf, OMITTED, REJECTED, saidBy } from '../test/fields/field-case.ts';
import { chatFields } from '../test/fields/fields-chat.ts';
import { messagesFields } from '../test/fields/fields-messages.ts';
import { responsesFields } from '../test/fields/fields-responses.ts';
import { thinkingFields } from '../test/fields/fields-thinking.ts';
import { type Place, places, thinkers } from '../test/fields/places.ts';
import type { Format } from '../test/matrix/ask.ts';
import { replaceMarked } from './replace-marked.ts';

interface Table {
  readonly format: Format;
  readonly fields: FieldCases;
  /** The places that have a column, by their names. */
  readonly columns: readonly string[];
  readonly places: readonly Place[];
}

/** Calls of every format are translated for them. */
const OTHERS = places.filter(({ speaks }) => speaks.length === 0).map(({ name }) => name);

const tables: Readonly<Record<string, Table>> = {
  'fields of chat': {
    ...{ format: 'chat', fields: chatFields, places },
    columns: ['openai-responses', 'anthropic', ...OTHERS],
  },
  'fields of responses': {
    ...{ format: 'responses', fields: responsesFields, places },
    columns: ['openai-compatible', 'anthropic', ...OTHERS],
  },
  'fields of messages': {
    ...{ format: 'messages', fields: messagesFields, places },
    columns: ['openai', 'openai-compatible', 'openai-responses', ...OTHERS],
  },
  ...Object.fromEntries(
    Object.entries(thinkingFields).map(([format, fields]) => [
      `thinking in ${format}`,
      { format: format as Format, fields, places: thinkers, columns: thinkers.map(({ name }) => name) },
    ]),
  ),
};

/** The document with the tables as they are declared. */
export function withFields(document: string): string {
  return Object.entries(tables).reduce(
    (text, [mark, table]) => replaceMarked(text, mark, `${describe(table)}\n`),
    document,
  );
}

function describe({ format, fields, columns, places: all }: Table): string {
  const shown = columns.map((column) => all.find(({ name }) => name === column) as Place);
  const abouts = Object.values(fields).some(({ about }) => about !== undefined);
  const head = ['field', ...columns.map((name) => `\`${name}\``), ...(abouts ? [''] : [])];
  const rows = Object.entries(fields).map(([name, field]) => [
    inCode(name),
    ...shown.map((place) => cellOf(fateOf(format, field, place, all), saidBy(format, field, place))),
    ...(abouts ? [field.about ?? ''] : []),
  ]);
  const written = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const differences = vendorDifferences({ format, fields, columns, places: all });
  if (differences.length === 0) return written.join('\n');
  return [...written, '', 'Vendors that differ from `openai-compatible`:', '', ...differences].join('\n');
}

function vendorDifferences({ format, fields, columns, places: all }: Table): string[] {
  return all.flatMap((place) => {
    if (place.vendor === undefined || columns.includes(place.name)) return [];
    const different = Object.entries(fields).flatMap(([name, field]) => {
      const fate = field.becomes[place.name];
      return fate === undefined ? [] : [`${inCode(name)} → ${cellOf(fate, saidBy(format, field, place))}`];
    });
    return different.length === 0 ? [] : [`- \`${place.name}\`: ${different.join('; ')}`];
  });
}

function cellOf(fate: Fate | undefined, said: Readonly<Record<string, unknown>>): string {
  if (fate === undefined) return 'relayed';
  if (fate === REJECTED || fate === OMITTED) return fate;
  if (typeof fate === 'string') return `\`${withoutPlaces(fate)}\``;
  const parts = Object.entries(fate).map(([path, value]) => partOf(withoutPlaces(path), value, said));
  return [...new Set(parts)].join(', ').replaceAll('|', '\\|');
}

const CHARACTERS_MAX = 70;

/** With its value, if that is short and not what the caller said. */
function partOf(path: string, value: unknown, said: Readonly<Record<string, unknown>>): string {
  if (value === GONE) return `without \`${path}\``;
  const written = JSON.stringify(value);
  const isOwn = Object.values(said).some((one) => JSON.stringify(one) === written);
  return isOwn || written.length > CHARACTERS_MAX ? `\`${path}\`` : `\`${path}: ${written}\``;
}

/** `messages[1].content[0]` → `messages[].content[]`. */
function withoutPlaces(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}

/** The words after a comma are ours, and so are names with blanks. */
function inCode(name: string): string {
  const [code = '', ...rest] = name.split(',');
  const isCode = /^[\w.[\]]+(?:: [\w{}]+)?$/.test(code);
  return [isCode ? `\`${code}\`` : code, ...rest].join(',');
}
