/** Makes a value that fits a JSON Schema, as far as the schemas of tools and formats go. */
import { fitPattern } from './fit-pattern.ts';
import { type Dice, pick, pickWord } from './words.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Below this depth optional ends are taken: empty arrays, null branches. Recursive schemas stop here. */
const DEPTH_SOFT = 6;
const DEPTH_MAX = 40;
/** A schema that refers to itself twice would grow without end. */
const STEPS_MAX = 2_000;
const ITEMS_MAX = 100;

export function fitSchema(schema: unknown, dice: Dice): unknown {
  return new Fitter(record(schema), dice).fit(schema, 0);
}

class Fitter {
  readonly #root: Schema;
  readonly #dice: Dice;
  #steps = 0;

  constructor(root: Schema, dice: Dice) {
    this.#root = root;
    this.#dice = dice;
  }

  /** `chosen`: branches of branches so far, which are no deeper for it. */
  fit(given: unknown, depth: number, chosen = 0): unknown {
    if (depth > DEPTH_MAX || chosen > DEPTH_MAX || this.#steps++ > STEPS_MAX) return null;
    const schema = this.#resolve(record(given));
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return pick(schema.enum, this.#dice);
    const branches = list(schema.anyOf) ?? list(schema.oneOf);
    if (branches !== null) {
      return this.fit({ ...without(schema), ...this.#branch(branches, depth) }, depth, chosen + 1);
    }
    switch (typeOf(schema, depth)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'integer':
        return fitNumber(schema, true, this.#dice);
      case 'number':
        return fitNumber(schema, false, this.#dice);
      case 'boolean':
        return this.#dice() < 0.5;
      case 'null':
        return null;
      default:
        return fitString(schema, this.#dice);
    }
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const properties = record(schema.properties);
    const required = list(schema.required) ?? [];
    const value: Record<string, unknown> = {};
    for (const name of required) {
      if (typeof name === 'string') value[name] = this.fit(properties[name] ?? {}, depth + 1);
    }
    return value;
  }

  #array(schema: Schema, depth: number): unknown[] {
    const prefix = list(schema.prefixItems);
    if (prefix !== null) return prefix.map((item) => this.fit(item, depth + 1));
    const least = number(schema.minItems) ?? (depth < DEPTH_SOFT ? 1 : 0);
    const length = Math.min(least, number(schema.maxItems) ?? ITEMS_MAX, ITEMS_MAX);
    return Array.from({ length }, () => this.fit(schema.items ?? {}, depth + 1));
  }

  #branch(branches: readonly unknown[], depth: number): Schema {
    const resolved = branches.map((branch) => this.#resolve(record(branch)));
    const ending = depth < DEPTH_SOFT ? undefined : resolved.find((branch) => branch.type === 'null');
    return ending ?? resolved[0] ?? {};
  }

  /** Follows `$ref` within the document and folds `allOf` into one schema. */
  #resolve(schema: Schema, folded = 0): Schema {
    let current = schema;
    for (let hops = 0; typeof current.$ref === 'string' && hops < DEPTH_MAX; hops++) {
      const { $ref, ...beside } = current;
      current = { ...this.#lookUp($ref as string), ...beside };
    }
    const parts = list(current.allOf);
    if (parts === null || folded > DEPTH_MAX || this.#steps++ > STEPS_MAX) return current;
    const { allOf: _, ...rest } = current;
    return parts.map((part) => this.#resolve(record(part), folded + 1)).reduce(merge, rest);
  }

  #lookUp(reference: string): Schema {
    let found: unknown = this.#root;
    for (const step of reference.replace(/^#\/?/, '').split('/')) {
      if (step === '') continue;
      found = record(found)[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    return record(found);
  }
}

function typeOf(schema: Schema, depth: number): string {
  const types = list(schema.type);
  if (types !== null) {
    if (depth >= DEPTH_SOFT && types.includes('null')) return 'null';
    return String(types.find((type) => type !== 'null') ?? 'null');
  }
  if (typeof schema.type === 'string') return schema.type;
  if (schema.properties !== undefined || schema.required !== undefined) return 'object';
  return schema.items !== undefined || schema.prefixItems !== undefined ? 'array' : 'string';
}

function fitNumber(schema: Schema, whole: boolean, dice: Dice): number {
  const step = number(schema.multipleOf) ?? (whole ? 1 : 0.5);
  const above = number(schema.exclusiveMinimum);
  const below = number(schema.exclusiveMaximum);
  const most = number(schema.maximum) ?? (below === null ? null : below - step / 2);
  const least = number(schema.minimum) ?? above ?? Math.min(1, most ?? 1);
  let low = Math.ceil(least / step);
  if (above !== null && low * step <= above) low++;
  const high = most === null ? low + 20 : Math.floor(most / step);
  if (high < low) return most === null ? least : (least + most) / 2;
  return (low + Math.floor(dice() * (Math.min(high - low, 20) + 1))) * step;
}

const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'someone@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

function fitString(schema: Schema, dice: Dice): string {
  const format = FORMATS.get(schema.format);
  if (format !== undefined) return format;
  const written = typeof schema.pattern === 'string' ? fitPattern(schema.pattern, dice) : null;
  if (written !== null) return written;
  let text = pickWord(dice);
  const least = Math.min(number(schema.minLength) ?? 0, 100_000);
  while (text.length < least) text += ` ${pickWord(dice)}`;
  return text.slice(0, Math.max(least, number(schema.maxLength) ?? text.length));
}

function merge(a: Schema, b: Schema): Schema {
  return {
    ...a,
    ...b,
    properties: { ...record(a.properties), ...record(b.properties) },
    required: [...(list(a.required) ?? []), ...(list(b.required) ?? [])],
  };
}

function without(schema: Schema): Schema {
  const { anyOf: _, oneOf: __, ...rest } = schema;
  return rest;
}

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function list(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
