/**
 * The fields Google knows. What it does not know it refuses, anywhere in a request, and each field
 * may be written in snake_case as well.
 */
import { type Json, record } from '../json.ts';
import { badPayload } from './refusals.ts';

/** A value of any kind, one that is no list, an object with these fields, a list of such, or a map to such. */
export type Shape =
  | 'any'
  | 'single'
  | { readonly fields: () => Readonly<Record<string, Shape>> }
  | { readonly listOf: Shape }
  | { readonly mapOf: Shape };

const DEPTH_MAX = 100;

export function fields(names: string, inner: Readonly<Record<string, Shape>> = {}): Shape {
  const known = { ...Object.fromEntries(names.split(' ').map((name) => [name, 'any' as const])), ...inner };
  return { fields: () => known };
}

export function listOf(shape: Shape): Shape {
  return { listOf: shape };
}

/** The same request with all fields in camelCase and without nulls; throws for what is not of the shape. */
export function normalise(body: Json, shape: Shape): Json {
  const reader = new ShapeReader();
  const read = reader.read(body, shape, '', 0) as Json;
  if (reader.violations.length > 0) throw badPayload(reader.violations);
  return read;
}

class ShapeReader {
  readonly violations: Array<{ field: string; description: string }> = [];

  read(value: unknown, shape: Shape, place: string, depth: number): unknown {
    if (shape === 'any' || depth > DEPTH_MAX) return value;
    if (shape === 'single') return value;
    if ('listOf' in shape) {
      if (!Array.isArray(value)) return this.#wrong(place, value);
      return value.map((item, index) => this.read(item, shape.listOf, `${place}[${index}]`, depth + 1));
    }
    const object = record(value);
    if (object === null) return this.#wrong(place, value);
    return 'mapOf' in shape
      ? this.#readMap(object, shape.mapOf, place, depth)
      : this.#readFields(object, shape.fields(), place, depth);
  }

  #readMap(object: Json, shape: Shape, place: string, depth: number): Json {
    return Object.fromEntries(
      Object.entries(object).map(([name, value], index) => [
        name,
        this.read(value, shape, `${place}[${index}].value`, depth + 1),
      ]),
    );
  }

  #readFields(object: Json, known: Readonly<Record<string, Shape>>, place: string, depth: number): Json {
    const read: Record<string, unknown> = {};
    for (const [written, value] of Object.entries(object)) {
      const name = written.replaceAll(/(?<=.)_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const shape = Object.hasOwn(known, name) ? known[name] : undefined;
      if (shape === undefined) {
        const where = place === '' ? '' : ` at '${place}'`;
        this.#add(
          place,
          `Invalid JSON payload received. Unknown name "${written}"${where}: Cannot find field.`,
        );
      } else if (shape === 'single' && Array.isArray(value)) {
        this.#add(
          place,
          `Invalid JSON payload received. Unknown name "${written}" at '${place}': Proto field is not repeating, cannot start list.`,
        );
      } else if (value !== null) {
        const below = `${place === '' ? '' : `${place}.`}${snakeCase(name)}`;
        read[name] = this.read(value, shape, below, depth + 1);
      }
    }
    return read;
  }

  #wrong(place: string, value: unknown): undefined {
    this.#add(place, `Invalid value at '${place}', ${JSON.stringify(value)}`);
    return undefined;
  }

  #add(field: string, description: string): void {
    this.violations.push({ field, description });
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
