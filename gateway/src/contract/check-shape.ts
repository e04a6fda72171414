/**
 * Checks a request against its schema and describes the first mistake in one sentence: the field and what was
 * expected. Validators are compiled on first use, to keep start-up fast.
 */
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Problem } from '../kernel/problem.ts';

export interface ShapeError {
  /** `messages[0].role`, or empty for the whole value. */
  readonly path: string;
  /** What was expected, as it follows the path: "must be a string". */
  readonly message: string;
}

export class Shape<Schema extends TSchema> {
  readonly #schema: Schema;
  #validator: Validator | undefined;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  matches(value: unknown): value is Static<Schema> {
    this.#validator ??= Compile(this.#schema) as unknown as Validator;
    return this.#validator.Check(value);
  }

  /** The first mistake, or null. */
  error(value: unknown): ShapeError | null {
    if (this.matches(value)) return null;
    const errors = [...(this.#validator?.Errors(excerpt(value)) ?? [])];
    return errors.length === 0
      ? { path: '', message: 'has a wrong item far down a long list' }
      : explain(errors);
  }

  /** Returns the value with its type, or throws `invalid_parameter` that names the field. */
  check(value: unknown): Static<Schema> {
    if (this.matches(value)) return value;
    const { path, message } = this.error(value) ?? { path: '', message: 'is not valid' };
    const code = path.startsWith('tools') ? 'tool_format_invalid' : 'invalid_parameter';
    throw new Problem(code, { detail: `${path === '' ? 'The body' : path} ${message}.`, param: path });
  }
}

/**
 * The validator walks a whole list even if every item is wrong, which takes minutes and gigabytes for
 * millions of items. So only the start of long lists is explained.
 */
function excerpt(value: unknown): unknown {
  let left = VALUES_EXPLAINED_MAX;
  const copy = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) {
      const items: unknown[] = [];
      for (const item of part) {
        // The first item stays, so that no list becomes empty.
        if (left-- <= 0 && items.length > 0) break;
        items.push(copy(item));
      }
      return items;
    }
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, copy(item)]));
  };
  return copy(value);
}

/** More than the longest list that any schema allows. */
const VALUES_EXPLAINED_MAX = 10_000;

/**
 * A union reports every branch that failed. The deepest path is the actual mistake; the expectations of all
 * branches there become one sentence.
 */
function explain(errors: readonly TLocalizedValidationError[]): ShapeError {
  const missing = errors.find((error) => error.keyword === 'required');
  const unknown = errors.find((error) => error.keyword === 'additionalProperties');
  const first = errors[0]?.instancePath ?? '';
  // Errors have the order of the schema: take the deepest path below the first invalid field.
  const below = errors.filter((error) => error.instancePath.startsWith(first));
  const depth = (error: TLocalizedValidationError): number => error.instancePath.split('/').length;
  const deepest = below.reduce(
    (a, b) => (depth(b) > depth(a) ? b : a),
    below[0] as TLocalizedValidationError,
  );
  const here = below.filter((error) => error.instancePath === deepest.instancePath);

  if (unknown !== undefined && (first === unknown.instancePath || depth(unknown) + 1 === depth(deepest))) {
    const [name = ''] = (unknown.params as { additionalProperties: string[] }).additionalProperties;
    return { path: dotted(`${unknown.instancePath}/${name}`), message: 'is not a known field' };
  }
  if (missing !== undefined && missing.instancePath === deepest.instancePath) {
    const [name = ''] = (missing.params as { requiredProperties: string[] }).requiredProperties;
    return { path: dotted(`${missing.instancePath}/${name}`), message: 'is required' };
  }
  return { path: dotted(deepest.instancePath), message: expected(here) };
}

function expected(errors: readonly TLocalizedValidationError[]): string {
  const bounds = errors.filter((error) => !['type', 'const', 'anyOf', 'enum'].includes(error.keyword));
  if (bounds[0] !== undefined) return bounds[0].message;
  const allowed = errors.flatMap(allowedValues).map((value) => JSON.stringify(value));
  if (allowed.length > 0) {
    return allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(', ')}`;
  }
  const types = errors
    .filter((error) => error.keyword === 'type')
    .flatMap((error) => (error.params as { type: string | string[] }).type)
    .filter((type) => type !== 'null');
  return types.length === 0 ? 'is not valid' : `must be ${[...new Set(types)].map(withArticle).join(' or ')}`;
}

function allowedValues(error: TLocalizedValidationError): unknown[] {
  const params = error.params as { allowedValue?: unknown; allowedValues?: unknown[] };
  if (error.keyword === 'const') return [params.allowedValue];
  return error.keyword === 'enum' ? (params.allowedValues ?? []) : [];
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** `/messages/0/role` → `messages[0].role` */
function dotted(pointer: string): string {
  let path = '';
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else path += path === '' ? name : `.${name}`;
  }
  return path;
}
