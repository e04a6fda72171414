/** Places in JSON as RFC 6901 writes them: `/jobs/0/id`; the empty one is the whole. */
import { isObject } from './read-json.ts';

export type JsonPointer = readonly string[];

/** Null when the text is none. */
export function parsePointer(text: string): JsonPointer | null {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return null;
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Undefined where there is nothing. */
export function valueAt(json: unknown, pointer: JsonPointer): unknown {
  let value = json;
  for (const part of pointer) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,9})$/.test(part) ? value[Number(part)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
