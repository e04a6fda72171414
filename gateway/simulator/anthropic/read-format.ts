/** Reads the schema an answer has to fit; Anthropic takes a part of JSON Schema only. */
import type { ModelTraits } from '../brain/models.ts';
import type { Prompt } from '../brain/prompt.ts';
import { type Json, record } from '../json.ts';
import { checkFields, invalid, required, shouldBe } from './refusals.ts';

const FORMAT_FIELDS = new Set(['type', 'schema']);
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  object: ['maxProperties', 'minProperties', 'patternProperties'],
  integer: ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'],
  number: ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'],
  string: ['maxLength', 'minLength'],
  array: ['maxItems', 'uniqueItems'],
};
const FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '));
const DEPTH_MAX = 100;

export function readFormat(value: unknown, place: string, traits: ModelTraits): Prompt['format'] {
  if (value == null) return 'text';
  const format = record(value);
  if (format === null) throw shouldBe(place, 'a valid dictionary or object to extract fields from');
  if (format.type !== 'json_schema') throw shouldBe(`${place}.type`, "'json_schema'");
  checkFields(format, FORMAT_FIELDS, place);
  if (format.schema === undefined) throw required(`${place}.schema`);
  const schema = record(format.schema);
  if (schema === null) throw shouldBe(`${place}.schema`, 'a valid dictionary');
  if (!traits.writesJson) throw invalid(`${place}: This model does not support structured outputs.`);
  checkSchema(schema, `${place}.schema`);
  return { schema };
}

/** Answers, and the arguments of strict tools, are held to schemas of this kind alone. */
export function checkSchema(given: unknown, place: string, depth = 0): void {
  const schema = record(given);
  if (schema === null || depth > DEPTH_MAX) return;
  for (const type of Array.isArray(schema.type) ? schema.type : [schema.type]) {
    checkType(schema, String(type), place);
  }
  for (const inner of innerSchemas(schema)) checkSchema(inner, place, depth + 1);
}

function checkType(schema: Json, type: string, place: string): void {
  if (type === 'object' && schema.additionalProperties !== false) {
    throw invalid(`${place}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  }
  const foreign = (Object.hasOwn(UNSUPPORTED, type) ? (UNSUPPORTED[type] ?? []) : []).filter(
    (name) => name in schema,
  );
  if (foreign.length === 1) {
    throw invalid(`${place}: For '${type}' type, property '${foreign[0]}' is not supported`);
  }
  if (foreign.length > 1) {
    throw invalid(`${place}: For '${type}' type, properties ${foreign.join(', ')} are not supported`);
  }
  const { minItems, format } = schema;
  if (type === 'array' && typeof minItems === 'number' && minItems > 1) {
    throw invalid(`${place}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
  }
  if (type === 'string' && typeof format === 'string' && !FORMATS.has(format)) {
    throw invalid(`${place}: For 'string' type, format '${format}' is not supported`);
  }
}

function innerSchemas(schema: Json): unknown[] {
  const named = ['properties', '$defs', 'definitions'].flatMap((name) =>
    Object.values(record(schema[name]) ?? {}),
  );
  const listed = ['anyOf', 'allOf', 'oneOf'].flatMap((name) =>
    Array.isArray(schema[name]) ? (schema[name] as unknown[]) : [],
  );
  return [...named, ...listed, schema.items];
}
