/**
 * Parses JSON from untrusted senders. Depth and size are checked on the bytes before the engine's parser sees
 * them (a deeply nested body would block it for seconds), and everything that two parsers could read differently
 * is rejected: duplicate keys, `__proto__`, invalid UTF-8.
 *
 * The scan (scan-json.ts) also records where the values of the outermost object are, so that edit-fields.ts can replace
 * one field and pass on all other bytes unchanged.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteRange } from './field-ranges.ts';
import type { JsonLimits } from './json-limits.ts';
import { notUtf8 } from './json-problems.ts';
import type { Inline } from './placeholders.ts';
import { type BytesReader, parseScanned, scanFields, scanJsonObject } from './scan-json.ts';

export interface JsonObject {
  readonly value: Record<string, unknown>;
  readonly bytes: Buffer;
  readonly fields: ReadonlyMap<string, ByteRange>;
  /** Long strings that were cut out of `value` and `bytes`; a placeholder stands for each. */
  readonly inline?: Inline;
  /** The memory of `bytes` and `inline`, to be given back once nobody needs them; see body-memory.ts. */
  readonly blocks?: readonly Buffer[];
}

/** Parses a request body that must be one JSON object. For large bodies use parse-large-json.ts. */
export function parseJsonObject(bytes: Buffer, limits: JsonLimits): JsonObject {
  const { value, fields } = scanJsonObject(bytes, limits, bufferReader);
  return { value, bytes, fields };
}

/** The same for bytes whose structure was counted, and whose fields were found, while they arrived. */
export function parseCountedObject(
  bytes: Buffer,
  found: { readonly keys: number; readonly fields: ReadonlyMap<string, ByteRange> },
): JsonObject {
  const value = parseScanned(bytes, bufferReader.all(bytes), found.keys, bufferReader);
  return { value, bytes, fields: found.fields };
}

/** Finds the fields of an object that is known to be well-formed. */
export function locateFields(bytes: Buffer): ReadonlyMap<string, ByteRange> {
  return scanFields(bytes, bufferReader);
}

const bufferReader: BytesReader<Buffer> = {
  all(bytes) {
    // Most bodies are ASCII, which needs no decoding.
    if (isAscii(bytes)) return bytes.toString('latin1');
    if (isUtf8(bytes)) return bytes.toString('utf8');
    throw notUtf8();
  },
  part: (bytes, start, end) => bytes.toString('utf8', start, end),
};
