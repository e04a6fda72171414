/**
 * Reduces a schema to the part of JSON Schema that Anthropic accepts for structured answers and strict tools.
 * Unsupported keywords (bounds, lengths, counts, some formats) move to the description, as in Anthropic's
 * SDK: `{minimum: 1, maximum: 10}`. Pure.
 */
import { isObject, type Json } from '../../json/read-json.ts';
import { CannotCarry } from '../../text/text-call.ts';

/** `field` names the source of the schema in an error. */
export function writeSchema(schema: object, field: 'responseFormat' | 'tools'): object {
  try {
    return narrowed(schema as Json);
  } catch (error) {
    if (error instanceof MapSchema) throw new CannotCarry(field, MapSchema.limit);
    throw error;
  }
}

class MapSchema extends Error {
  static readonly limit = 'whose schema has additionalProperties with a schema of their own';
}

/** Keywords that are accepted unchanged at any depth. */
const TAKEN = new Set(['type', 'title', 'enum', 'const', 'default', 'required']);
/** Keywords with a map of schemas, and keywords with a list of schemas. */
const NAMED = new Set(['properties', '$defs', 'definitions']);
const LISTED: ReadonlyMap<string, string> = new Map([
  ['anyOf', 'anyOf'],
  // `oneOf` is not supported; with `anyOf` the model picks one as well.
  ['oneOf', 'anyOf'],
  ['allOf', 'allOf'],
]);
const FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));
/** Lookarounds, back-references and word boundaries are not supported. */
const LARGE_PATTERN = /\(\?(?!:)|\\[1-9bBk]/;

function narrowed(schema: Json): Json {
  const { $ref } = schema;
  // Beside `$ref` only its definitions are allowed.
  if (typeof $ref === 'string') return { ...definitionsOf(schema), $ref };
  const taken: Record<string, unknown> = {};
  const unsupported: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'description' || name === 'additionalProperties' || name === '$schema') continue;
    const field = takenField(name, value, schema);
    if (field !== null) Object.assign(taken, field);
    else unsupported.push(`${name}: ${JSON.stringify(value)}`);
  }
  const description = describe(schema.description, unsupported);
  return {
    ...taken,
    ...(isObjectSchema(schema) && onlyNamed(schema)),
    ...(description !== '' && { description }),
  };
}

/** Null: the keyword moves to the description. */
function takenField(name: string, value: unknown, schema: Json): object | null {
  if (TAKEN.has(name)) return { [name]: value };
  if (NAMED.has(name) && isObject(value)) return { [name]: narrowedEach(value) };
  if (name === 'items' && isObject(value)) return { items: narrowed(value) };
  if (name === 'minItems') return value === 0 || value === 1 ? { minItems: value } : null;
  if (name === 'format') return FORMATS.has(String(value)) ? { format: value } : null;
  if (name === 'pattern') return LARGE_PATTERN.test(String(value)) ? null : { pattern: value };
  const listed = LISTED.get(name);
  if (listed === undefined || !Array.isArray(value)) return null;
  if (name === 'oneOf' && Array.isArray(schema.anyOf)) return null;
  return { [listed]: value.map((inner) => (isObject(inner) ? narrowed(inner) : inner)) };
}

function narrowedEach(schemas: Json): object {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, inner]) => [name, isObject(inner) ? narrowed(inner) : inner]),
  );
}

function definitionsOf(schema: Json): Json {
  const held = ['$defs', 'definitions'].filter((name) => isObject(schema[name]));
  return Object.fromEntries(held.map((name) => [name, narrowedEach(schema[name] as Json)]));
}

function isObjectSchema({ type, properties }: Json): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isObject(properties);
}

/**
 * Objects must not have additional properties. A map (`additionalProperties` with a schema) could then only
 * be empty, so it is rejected.
 */
function onlyNamed({ additionalProperties: others }: Json): object {
  if (isObject(others) && Object.keys(others).length > 0) throw new MapSchema();
  return { additionalProperties: false };
}

function describe(description: unknown, unsupported: readonly string[]): string {
  const own = typeof description === 'string' ? description : '';
  if (unsupported.length === 0) return own;
  return `${own === '' ? '' : `${own}\n\n`}{${unsupported.join(', ')}}`;
}
