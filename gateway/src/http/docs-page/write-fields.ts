/** A JSON Schema as a list of fields. Fields of fields are behind a summary that opens them. Pure. */
import { type Html, html, joined } from '../html.ts';
import { inline } from './markdown.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Finds what a `$ref` of the document stands for. */
export type Resolve = (reference: string) => Schema;

interface Place {
  readonly resolve: Resolve;
  /** The names of the shapes around this one: a shape that contains itself is not opened again. */
  readonly within: readonly string[];
}

/** Deeper fields are left to the document itself. */
const DEPTH_MAX = 8;

/** The fields of an object, or of the alternatives of a union; null if the schema has none. */
export function writeFields(schema: Schema, resolve: Resolve): Html | null {
  return inside(schema, { resolve, within: [] });
}

/** One field, parameter or header: its name, type, whether it is required, and what it means. */
export function writeField(
  name: string,
  field: Schema,
  options: { required: boolean; resolve: Resolve; within?: readonly string[] },
): Html {
  const { required, resolve, within = [] } = options;
  const named = nameOf(field);
  const place = { resolve, within: named === null ? within : [...within, named] };
  const isRepeated = named !== null && within.includes(named);
  const schema = resolved(field, resolve);
  const nested = isRepeated || within.length >= DEPTH_MAX ? null : inside(field, { resolve, within });
  const description = field.description ?? schema.description;
  return html`<li><div class="field"><code class="name">${name}</code> <span class="type">${typeText(schema, place)}</span>${
    required ? html` <span class="required">required</span>` : null
  }</div>${description === undefined ? null : html`<p>${inline(String(description))}</p>`}${facts(schema)}${
    nested === null
      ? null
      : html`<details><summary>Fields of <code>${name}</code></summary>${nested}</details>`
  }</li>`;
}

function inside(field: Schema, { resolve, within }: Place): Html | null {
  const named = nameOf(field);
  const place = { resolve, within: named === null ? within : [...within, named] };
  const schema = resolved(field, resolve);
  if (schema.properties !== undefined) return objectFields(schema, place);
  if (isSchema(schema.items)) return nestedOf(schema.items, place);
  if (isSchema(schema.additionalProperties)) return nestedOf(schema.additionalProperties, place);
  const branches = branchesOf(schema).filter((branch) => nestedOf(branch, place) !== null);
  if (branches.length === 0) return null;
  if (branches.length === 1) return nestedOf(branches[0] as Schema, place);
  return joined(
    branches.map(
      (branch) =>
        html`<details><summary>${branchTitle(branch, place)}</summary>${nestedOf(branch, place)}</details>`,
    ),
  );
}

/** Null also for a shape that is open already. */
function nestedOf(schema: Schema, place: Place): Html | null {
  const named = nameOf(schema);
  if (named !== null && place.within.includes(named)) return null;
  return place.within.length >= DEPTH_MAX ? null : inside(schema, place);
}

function objectFields({ properties, required }: Schema, { resolve, within }: Place): Html {
  const names = (required ?? []) as readonly string[];
  return html`<ul class="fields">${Object.entries(properties as Record<string, Schema>).map(([name, field]) =>
    writeField(name, field, { required: names.includes(name), resolve, within }),
  )}</ul>`;
}

/** What tells an alternative apart: the constants of its fields, or its name. */
function branchTitle(branch: Schema, { resolve }: Place): Html {
  const { properties = {} } = resolved(branch, resolve);
  const constants = Object.entries(properties as Record<string, Schema>).flatMap(([name, field]) =>
    typeof field.const === 'string' ? [html`<code>${name}: "${field.const}"</code>`] : [],
  );
  if (constants.length > 0) return html`If ${joined(constants, ', ')}`;
  return html`${nameOf(branch) ?? typeText(resolved(branch, resolve), { resolve, within: [] })}`;
}

function typeText(schema: Schema, place: Place): string {
  const { type, format } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const branches = branchesOf(schema);
  if (branches.length > 0) {
    const texts = branches.map((branch) => typeText(resolved(branch, place.resolve), place));
    return [...new Set(texts)].join(' or ');
  }
  if (schema.contentMediaType !== undefined) return 'file';
  if (isSchema(schema.items)) return `list of ${typeText(resolved(schema.items, place.resolve), place)}`;
  if (Array.isArray(type)) return type.join(' or ');
  if (type === undefined) return 'any';
  return format === undefined ? String(type) : `${type} (${format})`;
}

const RANGES = [
  { low: 'minimum', high: 'maximum', of: '' },
  { low: 'minLength', high: 'maxLength', of: ' characters' },
  { low: 'minItems', high: 'maxItems', of: ' items' },
  { low: 'minProperties', high: 'maxProperties', of: ' fields' },
] as const;

function rangeText(schema: Schema, { low, high, of }: (typeof RANGES)[number]): string | null {
  const [least, most] = [schema[low], schema[high]];
  if (least !== undefined && most !== undefined) return `${least} to ${most}${of}`;
  if (least !== undefined) return `at least ${least}${of}`;
  return most === undefined ? null : `at most ${most}${of}`;
}

/** Its values and limits in one line; null if it has none. */
function facts(schema: Schema): Html | null {
  const values = Array.isArray(schema.enum) ? schema.enum.filter((value) => value !== null) : [];
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const parts = [
    ...(values.length === 0
      ? []
      : [
          html`one of ${joined(
            values.map((value) => html`<code>${String(value)}</code>`),
            ', ',
          )}`,
        ]),
    ...RANGES.flatMap((range) => {
      const text = rangeText(schema, range);
      return text === null ? [] : [html`${text}`];
    }),
    ...(schema.default === undefined ? [] : [html`default <code>${JSON.stringify(schema.default)}</code>`]),
    ...(example === undefined || values.length > 0
      ? []
      : [html`such as <code>${typeof example === 'string' ? example : JSON.stringify(example)}</code>`]),
  ];
  return parts.length === 0 ? null : html`<p class="facts">${joined(parts, '; ')}</p>`;
}

function branchesOf({ anyOf }: Schema): readonly Schema[] {
  return Array.isArray(anyOf) ? anyOf : [];
}

function nameOf({ $ref }: Schema): string | null {
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : null;
}

function resolved(schema: Schema, resolve: Resolve): Schema {
  return typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
