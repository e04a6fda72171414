/**
 * The checks behind parse-json.ts, on bytes of any kind, so that browsers check the same as servers: nesting and size before
 * the engine's parser sees the text, and duplicate keys after it.
 */
import { type ByteRange, FieldRanges } from './field-ranges.ts';
import { JSON_BYTES } from './json-bytes.ts';
import { type JsonLimits, NO_LIMITS } from './json-limits.ts';
import { emptyBody, notObject, notWellFormed, protoKey, twice } from './json-problems.ts';
import { StructureWalk } from './walk-structure.ts';

const { CLOSE_BRACE, COLON, OPEN_BRACE } = JSON_BYTES;

/** How bytes become text: all of them, which throws if they are not UTF-8, and a part that is known to be. */
export interface BytesReader<Bytes extends Uint8Array> {
  all(bytes: Bytes): string;
  part(bytes: Bytes, start: number, end: number): string;
}

export interface ScannedJson {
  readonly value: Record<string, unknown>;
  readonly fields: ReadonlyMap<string, ByteRange>;
}

/** Parses bytes that must be one JSON object. */
export function scanJsonObject<Bytes extends Uint8Array>(
  bytes: Bytes,
  limits: JsonLimits,
  reader: BytesReader<Bytes>,
): ScannedJson {
  if (bytes.length === 0) throw emptyBody();
  const text = reader.all(bytes);
  const { keys, fields } = scan(bytes, limits, reader);
  return { value: parseScanned(bytes, text, keys, reader), fields };
}

/** The rest of `scanJsonObject`, for bytes whose keys were counted. */
export function parseScanned<Bytes extends Uint8Array>(
  bytes: Bytes,
  text: string,
  keys: number,
  reader: BytesReader<Bytes>,
): Record<string, unknown> {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notObject();
  }
  // Every colon outside a string is a key; the parser keeps one value per distinct key.
  if (countKeys(value) !== keys) throw duplicateKey(bytes, reader);
  return value as Record<string, unknown>;
}

/** Finds the fields of an object that is known to be well-formed. */
export function scanFields<Bytes extends Uint8Array>(
  bytes: Bytes,
  reader: BytesReader<Bytes>,
): ReadonlyMap<string, ByteRange> {
  return scan(bytes, NO_LIMITS, reader).fields;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const where = /position (\d+)/.exec((cause as Error).message)?.[1];
    // The engine's message quotes the body, which must not reach a log, so it is not passed on as the cause.
    throw notWellFormed(where);
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw protoKey();
    count += 1 + countKeys((value as Record<string, unknown>)[key]);
  }
  return count;
}

/** Slow; runs only to name the duplicate key in the error. */
function duplicateKey<Bytes extends Uint8Array>(bytes: Bytes, reader: BytesReader<Bytes>): Error {
  const open: Array<Set<string>> = [];
  let found = '';
  const walk = new StructureWalk(NO_LIMITS, {
    meet(byte) {
      if (byte === OPEN_BRACE) open.push(new Set());
      else if (byte === CLOSE_BRACE) open.pop();
      else if (byte === COLON) {
        const key = JSON.parse(reader.part(bytes, walk.stringStart, walk.stringEnd)) as string;
        const keys = open.at(-1);
        if (keys?.has(key)) found = key;
        keys?.add(key);
      }
      return found === '';
    },
  });
  walk.walk(bytes);
  return twice(found);
}

/** One walk over the bytes, before the parser sees them. */
function scan<Bytes extends Uint8Array>(
  bytes: Bytes,
  limits: JsonLimits,
  reader: BytesReader<Bytes>,
): { keys: number; fields: ReadonlyMap<string, ByteRange> } {
  const ranges = new FieldRanges((since) =>
    walk.stringStart < since ? null : keyText(reader.part(bytes, walk.stringStart, walk.stringEnd)),
  );
  const walk = new StructureWalk(limits, ranges, 1);
  walk.walk(bytes);
  return { keys: walk.keys, fields: ranges.within(bytes) };
}

/** Null for a malformed key, which the parser rejects. */
function keyText(text: string): string | null {
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}
