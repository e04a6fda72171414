/** Replaces, adds and removes fields of a JSON object in its bytes, without writing the object again. */

import type { ByteRange } from './field-ranges.ts';
import { JSON_BYTES, skipSpace, skipSpaceBack } from './json-bytes.ts';
import type { JsonObject } from './parse-json.ts';

const { BACKSLASH, CLOSE_BRACE, COLON, COMMA, QUOTE } = JSON_BYTES;

/** Returns the bytes with some fields of the outermost object replaced, and new fields appended. */
export function replaceFields(
  object: Pick<JsonObject, 'bytes' | 'fields'>,
  changes: Readonly<Record<string, string>>,
): Buffer {
  const { bytes, fields } = object;
  const edits: Array<ByteRange & { text: string }> = [];
  let added = '';
  for (const [name, json] of Object.entries(changes)) {
    const range = fields.get(name);
    if (range === undefined) added += `,${JSON.stringify(name)}:${json}`;
    else edits.push({ ...range, text: json });
  }
  if (added !== '') {
    const brace = bytes.lastIndexOf(CLOSE_BRACE);
    edits.push({ start: brace, end: brace, text: fields.size === 0 ? added.slice(1) : added });
  }
  edits.sort((a, b) => a.start - b.start);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const edit of edits) {
    pieces.push(bytes.subarray(from, edit.start), Buffer.from(edit.text));
    from = edit.end;
  }
  pieces.push(bytes.subarray(from));
  return Buffer.concat(pieces);
}

/** Returns the bytes without some fields of the outermost object. */
export function removeFields(
  object: Pick<JsonObject, 'bytes' | 'fields'>,
  names: readonly string[],
): Pick<JsonObject, 'bytes' | 'fields'> {
  let { bytes, fields } = object;
  for (const name of names) {
    const range = fields.get(name);
    if (range === undefined) continue;
    const { start, end } = fieldWithKey(bytes, range);
    bytes = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
    fields = withoutRange(fields, { start, end });
  }
  return { bytes, fields };
}

/** Where the fields are once a range with one of them is cut out. A large body is not searched again. */
function withoutRange(fields: ReadonlyMap<string, ByteRange>, cut: ByteRange): Map<string, ByteRange> {
  const length = cut.end - cut.start;
  const left = new Map<string, ByteRange>();
  for (const [name, range] of fields) {
    if (range.end <= cut.start) left.set(name, range);
    else if (range.start >= cut.end) left.set(name, { start: range.start - length, end: range.end - length });
  }
  return left;
}

/** Includes the key before the value and the comma on one side. */
function fieldWithKey(bytes: Buffer, value: ByteRange): ByteRange {
  const colon = bytes.lastIndexOf(COLON, value.start - 1);
  let start = bytes.lastIndexOf(QUOTE, skipSpaceBack(bytes, colon) - 2);
  while (bytes[start - 1] === BACKSLASH) start = bytes.lastIndexOf(QUOTE, start - 1);
  let end = value.end;
  const next = skipSpace(bytes, end);
  const before = skipSpaceBack(bytes, start);
  if (bytes[next] === COMMA) end = next + 1;
  else if (bytes[before - 1] === COMMA) start = before - 1;
  return { start, end };
}
