/**
 * OpenAI's published schemas as checks of our replies: each throws an Error that names the place and
 * what the schema wants there. More fields than the schema has are fine, fewer are not.
 */
import { readFileSync } from 'node:fs';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Fault {
  /** `choices[0].message.role`, or empty for the whole value. */
  readonly path: string;
  /** To be read after the path: "must be a string". */
  readonly message: string;
}
type Fields = Readonly<Record<string, unknown>>;

// Read rather than imported: the compiler would work out the type of every line of it.
const file = new URL('./openai-schemas.json', import.meta.url);
const schemas = (JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, Schema> }).$defs;

export const checkChatCompletion = (value: unknown): void => check('CreateChatCompletionResponse', value);
export const checkChatChunk = (value: unknown): void => check('CreateChatCompletionStreamResponse', value);
export const checkResponse = (value: unknown): void => check('Response', value);
/** One event of a stream of `/v1/responses`: the branch is picked by its `type`. */
export const checkResponseEvent = (value: unknown): void => check('ResponseStreamEvent', value);
/** Embeddings as lists of numbers; the schema does not know those in base64. */
export const checkEmbeddings = (value: unknown): void => check('CreateEmbeddingResponse', value);
export const checkImages = (value: unknown): void => check('ImagesResponse', value);
export const checkModelList = (value: unknown): void => check('ListModelsResponse', value);
export const checkBatch = (value: unknown): void => check('Batch', value);
export const checkFile = (value: unknown): void => check('OpenAIFile', value);
export const checkErrorBody = (value: unknown): void => check('ErrorResponse', value);

function check(name: string, value: unknown): void {
  const fault = faultOf({ $ref: `#/$defs/${name}` }, value, '');
  if (fault === null) return;
  throw new Error(`${name}: ${fault.path === '' ? 'the value' : fault.path} ${fault.message}`);
}

/** The first thing wrong, or null. */
function faultOf(schema: Schema, value: unknown, path: string): Fault | null {
  const { anyOf, allOf, enum: allowed } = schema;
  if (schema.$ref !== undefined) return faultOf(resolve(schema), value, path);
  if (anyOf !== undefined) return faultOfBranches(anyOf, value, path);
  if (allOf !== undefined) return first(allOf, (part) => faultOf(part, value, path));
  if (!hasType(schema, value)) return { path, message: `must be ${typesOf(schema).join(' or ')}` };
  if (allowed !== undefined && !allowed.includes(value)) {
    return { path, message: `must be ${oneOf(allowed)}, not ${JSON.stringify(value)}` };
  }
  if (Array.isArray(value)) return faultOfItems(schema, value, path);
  return isFields(value) ? faultOfFields(schema, value, path) : null;
}

function faultOfItems({ items }: Schema, value: readonly unknown[], path: string): Fault | null {
  if (items === undefined) return null;
  return first(value.entries(), ([index, item]) => faultOf(items, item, `${path}[${index}]`));
}

function faultOfFields(schema: Schema, value: Fields, path: string): Fault | null {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  // Whatever is undefined is not written to the wire.
  const missing = schema.required?.find((name) => value[name] === undefined);
  if (missing !== undefined) return { path: at(missing), message: 'is required' };
  return first(Object.entries(value), ([name, field]) => {
    const shape = schema.properties?.[name] ?? schema.additionalProperties;
    return shape === undefined || field === undefined ? null : faultOf(shape, field, at(name));
  });
}

/** A union whose branches have a `type` is decided by it, so that the fault is the one of that branch. */
function faultOfBranches(anyOf: readonly Schema[], value: unknown, path: string): Fault | null {
  const fitting = flat(anyOf).filter((branch) => kinds(branch).some((kind) => isKind(kind, value)));
  if (fitting.length === 0) {
    return { path, message: `must be ${[...new Set(flat(anyOf).flatMap(typesOf))].join(' or ')}` };
  }
  const chosen = isFields(value) ? fitting.filter((branch) => mayBe(branch, value.type)) : fitting;
  if (chosen.length === 0) {
    const place = path === '' ? 'type' : `${path}.type`;
    const names = fitting.flatMap((branch) => typeNames(branch) ?? []);
    return { path: place, message: `must be ${oneOf(names)}, not ${JSON.stringify((value as Fields).type)}` };
  }
  const faults = chosen.map((branch) => faultOf(branch, value, path));
  return faults.includes(null) ? null : deepest(faults.filter((fault) => fault !== null));
}

const mayBe = (branch: Schema, type: unknown): boolean => typeNames(branch)?.includes(type) ?? true;

/** What a branch allows as its `type`; null when it does not say. */
const typeNames = readOnce((schema: Schema): readonly unknown[] | null => {
  const full = resolve(schema);
  const own = full.properties?.type;
  if (own !== undefined) return resolve(own).enum ?? null;
  return first(full.allOf ?? [], typeNames);
});

/** The branches of a union, with those of the unions in it. */
const flat = readOnce((anyOf: readonly Schema[]): readonly Schema[] =>
  anyOf.map(resolve).flatMap((branch) => (branch.anyOf === undefined ? [branch] : flat(branch.anyOf))),
);

/** Thousands of answers are checked, and reading a union anew for each of their values takes most of the time. */
function readOnce<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const found = known.get(key) ?? { value: read(key) };
    known.set(key, found);
    return found.value;
  };
}

function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = schemas[schema.$ref.replace('#/$defs/', '')];
  if (found === undefined) throw new Error(`There is no schema ${schema.$ref}`);
  return resolve(found);
}

const ALL_KINDS = ['object', 'array', 'string', 'number', 'boolean', 'null'];

const kinds = readOnce((schema: Schema): readonly string[] => {
  if (schema.type !== undefined) return [schema.type].flat();
  return schema.properties !== undefined || schema.allOf !== undefined ? ['object'] : ALL_KINDS;
});

const hasType = (schema: Schema, value: unknown): boolean =>
  kinds(schema).some((kind) => isKind(kind, value));

function isKind(kind: string, value: unknown): boolean {
  if (kind === 'null') return value === null;
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isFields(value);
  if (kind === 'integer') return Number.isInteger(value);
  // NaN and the infinities have no JSON.
  return kind === 'number' ? Number.isFinite(value) : typeof value === kind;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typesOf(schema: Schema): string[] {
  return kinds(schema).map((kind) => {
    if (kind === 'null') return kind;
    return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
  });
}

function oneOf(values: readonly unknown[]): string {
  const list = values.map((value) => JSON.stringify(value));
  return list.length === 1 ? `${list[0]}` : `one of ${list.join(', ')}`;
}

const deepest = (faults: readonly Fault[]): Fault | null =>
  faults.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;

function first<Item, Found>(items: Iterable<Item>, look: (item: Item) => Found | null): Found | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}
