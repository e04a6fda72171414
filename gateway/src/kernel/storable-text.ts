/**
 * Text that the database can store. PostgreSQL text cannot contain U+0000, and UTF-8 has no lone surrogates; both occur in
 * JSON from callers and providers. Text that a caller sends to be stored is rejected, naming the field; all other text
 * is stored with U+FFFD instead.
 */
import { Problem } from './problem.ts';

export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function storable(text: string): string {
  return isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** A JSON value with all its strings, including field names, made storable. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storable(name), storableJson(field)]),
  );
}

/** Throws `invalid_parameter` for the first string that cannot be stored. */
export function checkStorable(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (isStorable(value)) return;
    throw new Problem('invalid_parameter', {
      detail: `${path} holds U+0000 or half of a surrogate pair, which cannot be stored. Remove it.`,
      param: path,
    });
  }
  if (Array.isArray(value)) for (const [i, item] of value.entries()) checkStorable(item, `${path}[${i}]`);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      checkStorable(name, path);
      checkStorable(field, `${path}.${name}`);
    }
  }
}
