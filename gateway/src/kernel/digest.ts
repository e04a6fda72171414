/** SHA-256, of text and of JSON values written in one canonical way. */
import { hash } from 'node:crypto';

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same for two values that differ only in the order of their keys. */
export function jsonDigest(value: unknown): string {
  return sha256(canonicalJson(value));
}

/**
 * One text per JSON value: keys in code-unit order, no space. Values that JSON cannot hold are
 * refused, because leaving them out would give two different values one digest.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  // Unlike `map`, `from` sees holes, and they are refused as undefined.
  if (Array.isArray(value)) return `[${Array.from(value, (item) => canonicalJson(item)).join(',')}]`;
  if (typeof value === 'object' && isPlain(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
  }
  throw new TypeError(`JSON cannot hold this value: ${typeof value}`);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
