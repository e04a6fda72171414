/** Every key of `tollgate.yaml` with what its schema says about it, for the reference. */
import { type TSchema, Type } from 'typebox';
import type { KeyFacts } from '../yaml/about-key.ts';
import { ConfigFile } from './config-shape.ts';

export interface ConfigKey {
  /** `models.<name>.routes[].provider` */
  readonly path: string;
  readonly type: string;
  /** True: the entry that it belongs to cannot do without it. */
  readonly required: boolean;
  /** A value, or in words what happens without the key; null: it has none. */
  readonly default: string | null;
  readonly example: string | null;
  readonly since: string;
  readonly meaning: string;
}

/** Keys are of the first version, unless they say otherwise. */
const FIRST_VERSION = '0.1.0';

export function configKeys(): ConfigKey[] {
  return keysBelow(ConfigFile, '', new Map());
}

/** `seen`: entries that occur twice are listed once. */
function keysBelow(schema: TSchema, path: string, seen: Map<string, string>): ConfigKey[] {
  const below = deeper(schema);
  if (below === null) return [];
  const place = `${path}${below.step}`;
  if (!Type.IsObject(below.schema)) return keysBelow(below.schema, place, seen);
  const content = JSON.stringify(below.schema);
  if (seen.has(content)) return [];
  seen.set(content, place);
  const required = (below.schema.required ?? []) as string[];
  return Object.entries(below.schema.properties as Record<string, TSchema>).flatMap(([key, property]) => {
    const name = place === '' ? key : `${place}.${key}`;
    const inner = deeper(deeper(property)?.schema ?? property)?.schema;
    const again = inner === undefined ? undefined : seen.get(JSON.stringify(inner));
    return [
      describeKey(name, property, { required: required.includes(key), again }),
      ...keysBelow(property, name, seen),
    ];
  });
}

/** What a value of the schema contains, and how its path continues. */
function deeper(schema: TSchema): { schema: TSchema; step: string } | null {
  if (Type.IsObject(schema)) return { schema, step: '' };
  if (Type.IsArray(schema)) return Type.IsObject(schema.items) ? { schema: schema.items, step: '[]' } : null;
  if (Type.IsRecord(schema)) {
    const [item] = Object.values(schema.patternProperties) as [TSchema];
    return Type.IsObject(item) || Type.IsUnion(item) ? { schema: item, step: '.<name>' } : null;
  }
  const entry = Type.IsUnion(schema) ? schema.anyOf.find((one) => Type.IsObject(one)) : undefined;
  return entry === undefined ? null : { schema: entry, step: '' };
}

function describeKey(
  path: string,
  schema: TSchema,
  { required, again }: { required: boolean; again: string | undefined },
): ConfigKey {
  const facts = schema as TSchema & Partial<KeyFacts>;
  const example = facts.examples?.[0] ?? facts.default ?? (schema as { enum?: unknown[] }).enum?.[0];
  const other = Type.IsBoolean(schema) && typeof facts.default === 'boolean' ? !facts.default : example;
  const literal = Type.IsLiteral(schema) ? schema.const : other;
  return {
    path,
    type: typeOf(schema),
    required,
    default: facts['x-default'] ?? (facts.default === undefined ? null : inYaml(facts.default)),
    example: literal === undefined ? null : inYaml(literal),
    since: facts['x-since'] ?? FIRST_VERSION,
    meaning: `${facts.description ?? ''}${again === undefined ? '' : ` The same keys as in \`${again}\`.`}`,
  };
}

function typeOf(schema: TSchema): string {
  const allowed = (schema as { enum?: string[] }).enum;
  if (allowed !== undefined) return `one of ${allowed.map((word) => `\`${word}\``).join(', ')}`;
  if (Type.IsArray(schema)) return `list of ${typeOf(schema.items).replace(/^one of/, 'any of')}`;
  if (Type.IsObject(schema)) return 'section';
  if (Type.IsRecord(schema)) return 'entries by name';
  if (Type.IsUnion(schema)) return 'amount, or amounts by kind';
  if (Type.IsInteger(schema)) return numberType(schema as { minimum?: number; maximum?: number });
  if (Type.IsLiteral(schema)) return `\`${schema.const}\``;
  if (Type.IsBoolean(schema)) return '`true` or `false`';
  const { pattern } = schema as { pattern?: string };
  return pattern?.includes('{1,12}') ? 'decimal number' : 'text';
}

function numberType({ minimum = 0, maximum }: { minimum?: number; maximum?: number }): string {
  return `whole number, ${maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`}`;
}

/** As it is written in the file, on one line. */
function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${key}: ${inYaml(item)}`)
      .join(', ')} }`;
  const text = String(value);
  return text === '' || text.trim() !== text ? JSON.stringify(text) : text;
}
