/** JSON Pointer (RFC 6901): `/jobs/0/id`; the empty pointer is the whole value. */
import { isObject } from './read-json.ts';

export type JsonPointer = readonly string[];

/** Null if the text is not a JSON Pointer. */
export function parsePointer(text: string): JsonPointer | null {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return null;
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Undefined if there is no such value. */
export function valueAt(json: unknown, pointer: JsonPointer): unknown {
  let value = json;
  for (const part of pointer) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,9})$/.test(part) ? value[Number(part)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
