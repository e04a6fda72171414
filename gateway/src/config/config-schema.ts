/**
 * The JSON Schema of `tollgate.yaml` for editors. An editor reads numbers and booleans, where we read texts, and it does
 * not know variables; so it accepts every way in which a value can be written.
 */
import { type TSchema, Type } from 'typebox';
import { PriceEntry, PriceRuleEntry } from '../price-sheets/price-entry.ts';
import { ConfigFile } from './config-shape.ts';

type JsonSchema = Record<string, unknown>;

/** A value with `${VAR}` or `${file:PATH}` in it, which only a start can check. */
const EXPANDED = { type: 'string', pattern: '\\$\\{' } as const;

export function configSchema(): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'tollgate.yaml',
    ...editorSchema(ConfigFile),
    definitions: Object.fromEntries(
      Object.entries(repeated).map(([name, schema]) => [name, { ...facts(schema), ...form(schema) }]),
    ),
  };
}

/** Entries that occur in several places. */
const repeated: Readonly<Record<string, TSchema>> = { price: PriceEntry, priceRule: PriceRuleEntry };
const names = new Map(Object.entries(repeated).map(([name, schema]) => [JSON.stringify(schema), name]));

function editorSchema(schema: TSchema): JsonSchema {
  const name = Type.IsObject(schema) ? names.get(JSON.stringify(schema)) : undefined;
  return name === undefined ? { ...facts(schema), ...form(schema) } : { $ref: `#/definitions/${name}` };
}

/** What an editor shows. */
function facts(schema: TSchema): JsonSchema {
  const { description, default: value, examples } = schema as JsonSchema;
  return {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    ...(examples !== undefined && { examples }),
  };
}

function form(schema: TSchema): JsonSchema {
  if (Type.IsObject(schema)) {
    const properties = Object.entries(schema.properties as Record<string, TSchema>);
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map(([key, property]) => [key, editorSchema(property)])),
      ...(schema.required !== undefined && { required: schema.required }),
      additionalProperties: false,
    };
  }
  if (Type.IsRecord(schema)) {
    const [[pattern, item] = ['', Type.Any()]] = Object.entries(schema.patternProperties) as Array<
      [string, TSchema]
    >;
    return {
      type: 'object',
      patternProperties: { [pattern]: editorSchema(item) },
      additionalProperties: false,
    };
  }
  if (Type.IsArray(schema)) {
    const sizes = schema as { minItems?: number; maxItems?: number; uniqueItems?: boolean };
    const { minItems, maxItems, uniqueItems } = sizes;
    return {
      type: 'array',
      items: editorSchema(schema.items),
      ...(minItems !== undefined && { minItems }),
      ...(maxItems !== undefined && { maxItems }),
      ...(uniqueItems && { uniqueItems }),
    };
  }
  if (Type.IsUnion(schema)) return { anyOf: schema.anyOf.map(editorSchema) };
  return scalarForm(schema);
}

function scalarForm(schema: TSchema): JsonSchema {
  const { minimum, maximum, pattern, enum: words } = schema as JsonSchema & { enum?: string[] };
  if (Type.IsInteger(schema))
    return {
      anyOf: [{ type: 'integer', minimum, ...(maximum !== undefined && { maximum }) }, EXPANDED],
    };
  if (Type.IsLiteral(schema)) return { anyOf: [{ const: schema.const }, EXPANDED] };
  if (Type.IsBoolean(schema)) return { anyOf: [{ type: 'boolean' }, EXPANDED] };
  if (words !== undefined) return { anyOf: [{ enum: words.flatMap(asWritten) }, EXPANDED] };
  if (pattern === undefined) return { type: ['string', 'number', 'boolean', 'null'] };
  const number = String(pattern).includes('{1,12}') ? [{ type: 'number', minimum: 0 }] : [];
  return { anyOf: [...number, { type: 'string', pattern }, EXPANDED] };
}

/** `true` without quotes is a boolean for an editor. */
function asWritten(word: string): unknown[] {
  return word === 'true' || word === 'false' ? [word === 'true', word] : [word];
}
