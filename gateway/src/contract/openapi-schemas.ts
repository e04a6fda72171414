/**
 * Writes our schemas as the JSON Schema of the OpenAPI document. A named shape is written once, under components, and
 * referred to everywhere else. Unions are written in the short form that people and generators read most easily.
 */
import type { TSchema } from 'typebox';

export type JsonSchema = Record<string, unknown>;
type NamedShapes = Readonly<Record<string, TSchema>>;

export class SchemaWriter {
  /** What each named shape looks like without its description, and its name. */
  readonly #names = new Map<string, string>();
  readonly #shapes: NamedShapes;
  readonly #shown: NamedShapes;
  readonly #components = new Map<string, JsonSchema>();

  /** `shown` replaces what is written for some of the names. */
  constructor(shapes: NamedShapes, shown: NamedShapes = {}) {
    this.#shapes = shapes;
    this.#shown = shown;
    for (const [name, shape] of Object.entries(shapes)) this.#names.set(fingerprint(shape), name);
  }

  /** A reference if the shape has a name. A description of its own stays beside the reference. */
  write(schema: TSchema): JsonSchema {
    const name = this.#names.get(fingerprint(schema));
    return name === undefined ? this.#body(schema as JsonSchema) : this.#reference(name, schema);
  }

  /** The named shapes that were referred to, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #reference(name: string, schema: TSchema): JsonSchema {
    const shape = this.#shapes[name] as JsonSchema;
    if (!this.#components.has(name)) {
      // Entered before it is written, because a shape may contain itself.
      this.#components.set(name, {});
      this.#components.set(name, this.#body((this.#shown[name] ?? shape) as JsonSchema));
    }
    const { description } = schema as JsonSchema;
    const own = description === undefined || description === shape.description ? {} : { description };
    return { ...referenceTo('schemas', name), ...own };
  }

  #body(schema: JsonSchema): JsonSchema {
    if (Array.isArray(schema.anyOf)) return this.#union(schema);
    if (schema.type === 'object') return this.#object(schema);
    if (schema.items !== undefined) return { ...schema, items: this.write(schema.items as TSchema) };
    if (Array.isArray(schema.enum)) return { type: 'string', ...schema };
    // A file in a form or an answer: older generators know only the format.
    return schema.contentMediaType === undefined ? { ...schema } : { ...schema, format: 'binary' };
  }

  #object({ properties = {}, patternProperties, ...rest }: JsonSchema): JsonSchema {
    if (patternProperties !== undefined) {
      const [[pattern, values] = ['', {}]] = Object.entries(patternProperties as Record<string, TSchema>);
      const names = pattern === '^.*$' ? {} : { propertyNames: { pattern } };
      return { ...rest, ...names, additionalProperties: this.write(values as TSchema) };
    }
    const fields = Object.entries(properties as Record<string, TSchema>).filter(
      ([, field]) => !('not' in field),
    );
    // Without this, generators read "an object" as "an object without fields".
    if (fields.length === 0) return { additionalProperties: true, ...rest };
    const written = Object.fromEntries(fields.map(([name, field]) => [name, this.write(field)]));
    return { ...rest, properties: written };
  }

  #union({ anyOf, ...rest }: JsonSchema): JsonSchema {
    const all = anyOf as JsonSchema[];
    const others = all.filter(({ type }) => type !== 'null');
    const isNullable = others.length < all.length;
    const [first = {}] = others;
    if (others.length === 1 && this.#isUnnamedUnion(first)) {
      const { anyOf: inner, ...own } = first;
      const nulls = isNullable ? [{ type: 'null' }] : [];
      return this.#union({ ...own, ...rest, anyOf: [...(inner as JsonSchema[]), ...nulls] });
    }
    const written = this.#branches(others);
    const [only = {}] = written;
    if (written.length > 1) return { anyOf: isNullable ? [...written, { type: 'null' }] : written, ...rest };
    return isNullable ? orNull(only, rest) : { ...only, ...rest };
  }

  /** Several constants become one enumeration; the others stay as they are. */
  #branches(branches: readonly JsonSchema[]): JsonSchema[] {
    const values = branches.flatMap((branch) => (typeof branch.const === 'string' ? [branch.const] : []));
    if (values.length < 2) return branches.map((branch) => this.write(branch as TSchema));
    const others = branches.filter((branch) => typeof branch.const !== 'string');
    return [{ type: 'string', enum: values }, ...others.map((branch) => this.write(branch as TSchema))];
  }

  #isUnnamedUnion(schema: JsonSchema): boolean {
    return Array.isArray(schema.anyOf) && !this.#names.has(fingerprint(schema));
  }
}

export function referenceTo(kind: 'schemas' | 'examples' | 'responses', name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Scalars get `type: [.., 'null']`; anything else becomes a union with the description outside. */
function orNull(schema: JsonSchema, rest: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string' && schema.type !== 'object' && schema.type !== 'array') {
    const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
    const constant = 'const' in schema ? { const: undefined, enum: [schema.const, null] } : {};
    return { ...schema, type: [schema.type, 'null'], ...values, ...constant, ...rest };
  }
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }], ...rest };
  const { description, ...inner } = schema;
  const outer = description === undefined ? {} : { description };
  return { anyOf: [inner, { type: 'null' }], ...outer, ...rest };
}

function fingerprint(schema: object): string {
  return JSON.stringify({ ...schema, description: undefined });
}
