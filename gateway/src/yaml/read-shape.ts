/**
 * Reads the content of a YAML document by its schema: every scalar is a text at first, so that a price never passes
 * through a JavaScript number. Unknown keys, missing keys and values of a wrong form are all reported.
 */
import { type TArray, type TObject, type TRecord, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { Shape } from '../contract/check-shape.ts';
import { nearest } from '../kernel/nearest.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigProblems } from './config-problems.ts';
import type { TextExpander } from './expand-text.ts';

/** Stands for a value that was reported. */
export const UNREADABLE = Symbol('unreadable');

export interface ShapeReader {
  readonly problems: ConfigProblems;
  readonly expander: TextExpander;
  /** Sections and entries that are left out of the result, such as `models.fast`. */
  readonly leftOut: Set<string>;
  /** What a text of a wrong form should have been; null: as in the example of its schema. */
  readonly wantedForm: (path: string) => string | null;
}

/** Leaves out entries of records that are wrong; anything else that is wrong makes the whole unreadable. */
export function readShape(value: unknown, schema: TSchema, path: string, reader: ShapeReader): unknown {
  if (Type.IsUnion(schema)) {
    const fitting = schema.anyOf.find((one) => sameKind(one, value));
    return fitting === undefined
      ? wrong(path, 'has a wrong form', reader)
      : readShape(value, fitting, path, reader);
  }
  if (Type.IsArray(schema)) return readList(value, schema, path, reader);
  if (Type.IsObject(schema)) return readKeys(value, schema, path, reader);
  if (Type.IsRecord(schema)) return readNames(value, schema, path, reader);
  return readScalar(value, schema, path, reader);
}

function readList(value: unknown, schema: TArray, path: string, reader: ShapeReader): unknown {
  if (!Array.isArray(value)) return wrong(path, 'must be a list', reader);
  const { minItems = 0, maxItems = value.length, uniqueItems, examples } = schema as ListFacts;
  const [example] = examples ?? [];
  if (value.length < minItems) return wrong(path, 'must not be empty', reader);
  if (value.length > maxItems) return wrong(path, `must not have more than ${maxItems} entries`, reader);
  const hint = example === undefined ? {} : { examples: [example[0]] };
  const items = value.map((item, i) =>
    readShape(item, withHint(schema.items, hint), `${path}[${i}]`, reader),
  );
  const repeated = uniqueItems ? items.findIndex((item, i) => items.indexOf(item) < i) : -1;
  if (repeated >= 0 && items[repeated] !== UNREADABLE)
    return wrong(`${path}[${repeated}]`, 'is in the list already; remove it', reader);
  return items.includes(UNREADABLE) ? UNREADABLE : items;
}

interface ListFacts {
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Only of texts. */
  readonly uniqueItems?: boolean;
  readonly examples?: [unknown[]];
}

/** The items of a list have no example of their own. */
function withHint(schema: TSchema, hint: object): TSchema {
  return Type.IsString(schema) ? Type.String({ ...schema, ...hint }) : schema;
}

function readKeys(value: unknown, schema: TObject, path: string, reader: ShapeReader): unknown {
  if (!isMapping(value)) return wrong(path, 'must have keys below it', reader);
  const known = schema.properties as Record<string, TSchema>;
  const entries = Object.entries(value).map(([key, item]) => {
    const place = join(path, key);
    const property = Object.hasOwn(known, key) ? known[key] : undefined;
    return [
      key,
      property === undefined
        ? unknownKey(place, key, known, reader)
        : readShape(item, property, place, reader),
    ];
  });
  const missing = ((schema.required ?? []) as string[]).filter((key) => !Object.hasOwn(value, key));
  for (const key of missing) wrong(join(path, key), 'is required', reader);
  const whole = missing.length === 0 && entries.every(([, item]) => item !== UNREADABLE);
  if (whole || path === '') {
    for (const [key, item] of entries) if (item === UNREADABLE) reader.leftOut.add(String(key));
    for (const key of missing) if (path === '') reader.leftOut.add(key);
    return Object.fromEntries(entries.filter(([, item]) => item !== UNREADABLE));
  }
  return UNREADABLE;
}

function readNames(value: unknown, schema: TRecord, path: string, reader: ShapeReader): unknown {
  if (!isMapping(value)) return wrong(path, 'must have keys below it', reader);
  const [[pattern, item] = ['', Type.Any()]] = Object.entries(schema.patternProperties) as Array<
    [string, TSchema]
  >;
  const allowed = (schema as { 'x-names'?: string })['x-names'];
  const form = new RegExp(pattern, 'u');
  const entries = Object.entries(value).map(([key, entry]) => {
    const place = join(path, key);
    const read = readShape(entry, item, place, reader);
    if (form.test(key)) return [key, read] as const;
    const unnamed = `${path}: ${JSON.stringify(key)} is not a valid name; write ${allowed}`;
    reader.problems.add(new ConfigError(unnamed, place));
    return [key, UNREADABLE] as const;
  });
  const unreadable = entries.filter(([, entry]) => entry === UNREADABLE);
  // Amounts by kind are read as a whole; a wrong model does not hide mistakes in another one.
  if (unreadable.length > 0 && Type.IsString(item)) return UNREADABLE;
  for (const [key] of unreadable) reader.leftOut.add(join(path, key));
  return Object.fromEntries(entries.filter(([, entry]) => entry !== UNREADABLE));
}

function readScalar(value: unknown, schema: TSchema, path: string, reader: ShapeReader): unknown {
  if (typeof value !== 'string') return wrong(path, `must be ${kindOf(schema)}`, reader);
  const text = reader.problems.attempt(() => reader.expander.expand(value, path));
  if (text === null) return UNREADABLE;
  const read = typedText(text, schema);
  return Check(schema, read) ? read : wrong(path, mistakeIn(read, schema, reader.wantedForm(path)), reader);
}

function typedText(text: string, schema: TSchema): unknown {
  if (Type.IsInteger(schema) && /^\d{1,15}$/.test(text)) return Number(text);
  if (Type.IsLiteral(schema) && text === String(schema.const)) return schema.const;
  if (Type.IsBoolean(schema) && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Without the regular expression that a text does not match. */
function mistakeIn(value: unknown, schema: TSchema, wantedForm: string | null): string {
  const { message } = new Shape(schema).error(value) ?? { message: 'is not valid' };
  const allowed = (schema as { enum?: string[] }).enum;
  const guess = allowed === undefined ? null : nearest(String(value), allowed);
  if (guess !== null) return `${message}; did you mean ${guess}?`;
  if (!message.startsWith('must match pattern')) return message;
  if (wantedForm !== null) return wantedForm;
  const [example] = (schema as { examples?: unknown[] }).examples ?? [];
  return example === undefined ? 'has a wrong form' : `has a wrong form; write it like ${example}`;
}

function kindOf(schema: TSchema): string {
  if (Type.IsInteger(schema)) return 'an integer';
  return Type.IsBoolean(schema) || Type.IsLiteral(schema) ? 'true or false' : 'a text';
}

function unknownKey(place: string, key: string, known: object, { problems }: ShapeReader): symbol {
  const names = Object.keys(known);
  const guess = nearest(key, names);
  const hint = guess === null ? `known here: ${names.join(', ')}` : `did you mean ${guess}?`;
  problems.add(new ConfigError(`unknown key ${place}: ${hint}`, place));
  return UNREADABLE;
}

function wrong(path: string, problem: string, { problems }: ShapeReader): symbol {
  problems.add(path === '' ? new ConfigError(`the file ${problem}`) : ConfigError.at(path, problem));
  return UNREADABLE;
}

/** Whether a branch of a union is meant: a list, a mapping or a text. */
function sameKind(schema: TSchema, value: unknown): boolean {
  if (Array.isArray(value)) return Type.IsArray(schema);
  return isMapping(value) === (Type.IsObject(schema) || Type.IsRecord(schema)) && !Type.IsArray(schema);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
