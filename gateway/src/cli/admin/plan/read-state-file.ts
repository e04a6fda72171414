/** Reads the file of `plan` and `apply` strictly. Every mistake is reported with its line and its field. */
import type { TObject, TSchema } from 'typebox';
import { Type } from 'typebox';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { allowedValues } from '../../../administration/check-input.ts';
import { SettingsError } from '../../../app/settings.ts';
import { allRules, planName } from '../../../contract/administration/rules/find-rules.ts';
import { Shape } from '../../../contract/check-shape.ts';
import { nearest } from '../../../kernel/nearest.ts';
import { parseUnits, printUnits, ZERO } from '../../../kernel/units.ts';
import { time } from '../../words.ts';
import { StateFile, sectionNames } from './state-file.ts';

const MISTAKES_SHOWN_MAX = 20;

/** `['spaces', 'acme', 'keys', 'ci', 'kind']` */
export type FieldPath = readonly string[];

export interface Mistake {
  readonly path: FieldPath;
  readonly message: string;
}

export interface ReadState {
  readonly content: StateFile;
  /** Throws all mistakes with their lines, if there are any. */
  reject(mistakes: readonly Mistake[]): void;
}

export function readStateFile(name: string, text: string): ReadState {
  const lines = new LineCounter();
  // Every scalar is read as text, so that an amount never passes through a JavaScript number.
  const document = parseDocument(text, { schema: 'failsafe', merge: true, lineCounter: lines });
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const { line } = lines.linePos(syntax.pos[0]);
    throw new SettingsError(`${name}:${line} is not valid YAML: ${syntax.message.split('\n')[0]}`);
  }
  const reject = (mistakes: readonly Mistake[]): void => {
    if (mistakes.length === 0) return;
    const shown = mistakes.slice(0, MISTAKES_SHOWN_MAX).map(({ path, message }) => {
      return `  ${name}:${lineOf(document, lines, path)} ${path.join('.')}${path.length === 0 ? '' : ' '}${message}`;
    });
    const more = mistakes.length - shown.length;
    const rest = more > 0 ? `\n  and ${more} more` : '';
    throw new SettingsError(`${name} cannot be applied; nothing was changed.\n${shown.join('\n')}${rest}`);
  };
  const mistakes: Mistake[] = [];
  const content = typed(document.toJS() ?? {}, StateFile, { path: [], mistakes }) as StateFile;
  reject(mistakes);
  return { content, reject };
}

/** Of the field, or of what it is in if it comes from an alias or is missing. */
function lineOf(document: Document, lines: LineCounter, path: FieldPath): number {
  for (let length = path.length; length > 0; length--) {
    const above = document.getIn(path.slice(0, length - 1), true);
    const items = (above as { items?: Array<{ key: unknown }> } | undefined)?.items ?? [];
    const key = items.find((pair) => isNode(pair.key) && String(pair.key) === path[length - 1])?.key;
    if (isNode(key) && key.range) return lines.linePos(key.range[0]).line;
  }
  return 1;
}

interface Place {
  readonly path: FieldPath;
  readonly mistakes: Mistake[];
}

/** Converts each text to the type in the schema. What is wrong is added to the mistakes, and left out. */
function typed(value: unknown, schema: TSchema, place: Place): unknown {
  if (Type.IsRecord(schema)) return typedSection(value, schema, place);
  if (Type.IsObject(schema)) return typedObject(value, schema, place);
  try {
    const read = readScalar(value, schema);
    if (new Shape(schema).matches(read)) return canonical(read, place.path);
  } catch {
    // Reported below, with all other values that make no sense.
  }
  const shown = value === '' ? 'is empty' : `${JSON.stringify(value).slice(0, 80)} is not valid`;
  place.mistakes.push({ path: place.path, message: `${shown}: it must be ${allowedValues(schema)}.` });
  return undefined;
}

function typedSection(value: unknown, schema: TSchema, { path, mistakes }: Place): unknown {
  const names = sectionNames[path.at(-1) ?? ''] as TSchema;
  const [entry] = Object.values((schema as { patternProperties?: object }).patternProperties ?? {});
  if (!isMapping(value)) {
    if (value === '') return {};
    mistakes.push({ path, message: 'must be a mapping of names to their settings.' });
    return {};
  }
  const seen = new Map<string, string>();
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const here = [...path, name];
      const twin = seen.get(name.toLowerCase());
      if (!new Shape(names).matches(name))
        mistakes.push({ path: here, message: `is not a valid name: it must be ${allowedValues(names)}.` });
      else if (twin !== undefined && path.at(-1) === 'members')
        mistakes.push({ path: here, message: `is the same address as ${twin}.` });
      seen.set(name.toLowerCase(), name);
      return [name, typed(item, entry as TSchema, { path: here, mistakes })];
    }),
  );
}

function typedObject(value: unknown, schema: TObject, { path, mistakes }: Place): unknown {
  const known = schema.properties as Record<string, TSchema>;
  if (!isMapping(value) && value !== '') {
    mistakes.push({ path, message: `must be a mapping; its fields are ${Object.keys(known).join(', ')}.` });
    return {};
  }
  const given = new Map(Object.entries(value === '' ? {} : (value as object)));
  for (const name of given.keys()) {
    if (Object.hasOwn(known, name)) continue;
    const guess = nearest(name, Object.keys(known));
    const hint = guess === null ? `Use ${Object.keys(known).join(', ')}.` : `Did you mean ${guess}?`;
    mistakes.push({ path: [...path, name], message: `is not a known field. ${hint}` });
  }
  for (const name of schema.required ?? [])
    if (!given.has(name)) mistakes.push({ path: [...path, name], message: 'is required.' });
  return Object.fromEntries(
    Object.entries(known)
      .filter(([name]) => given.has(name))
      .map(([name, property]) => [
        name,
        typed(given.get(name), property, { path: [...path, name], mistakes }),
      ]),
  );
}

const NONE = ['none', 'null', '~'];
const SWITCHES: Readonly<Record<string, boolean>> = { true: true, on: true, false: false, off: false };

function readScalar(value: unknown, schema: TSchema): unknown {
  if (Type.IsUnion(schema)) {
    const [kept] = schema.anyOf as [TSchema];
    const noLimit = Type.IsArray(kept) ? [...NONE, 'all'] : NONE;
    return typeof value === 'string' && noLimit.includes(value) ? null : readScalar(value, kept);
  }
  if (typeof value !== 'string') return value;
  if (Type.IsInteger(schema)) return /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (Type.IsBoolean(schema)) return SWITCHES[value];
  return (schema as { format?: string }).format === 'date-time' ? time(value, '') : value;
}

const AMOUNTS = ['amount', ...allRules.filter(({ kind }) => kind === 'amount').map(planName)];

/** An amount in one form, so that 50 and 50.0 do not differ. */
function canonical(value: unknown, path: FieldPath): unknown {
  if (typeof value !== 'string' || !AMOUNTS.includes(path.at(-1) ?? '')) return value;
  const units = parseUnits(value);
  if (units <= ZERO) throw new RangeError('not above 0');
  return printUnits(units);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
