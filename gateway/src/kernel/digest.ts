/** SHA-256 of texts and of JSON values in canonical form. */
import { hash } from 'node:crypto';

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same for two values that differ only in the order of their keys. */
export function jsonDigest(value: unknown): string {
  return sha256(canonicalJson(value));
}

/**
 * Canonical JSON: keys in code-unit order, no white space. Values that JSON cannot represent throw, because dropping them
 * would give two different values the same digest.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  // Unlike `map`, `from` visits holes, which then throw as undefined.
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
