/** Replaces, adds and removes fields of a JSON object in its bytes, without writing the object again. */
import { JSON_BYTES, skipSpace, skipSpaceBack } from './json-bytes.ts';
import { type JsonObject, locateFields } from './parse-json.ts';
import type { ByteRange } from './scan-json.ts';

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
    bytes = cutField(bytes, range);
    fields = locateFields(bytes);
  }
  return { bytes, fields };
}

/** Also removes the key before the value and the comma on one side. */
function cutField(bytes: Buffer, value: ByteRange): Buffer {
  const colon = bytes.lastIndexOf(COLON, value.start - 1);
  let start = bytes.lastIndexOf(QUOTE, skipSpaceBack(bytes, colon) - 2);
  while (bytes[start - 1] === BACKSLASH) start = bytes.lastIndexOf(QUOTE, start - 1);
  let end = value.end;
  const next = skipSpace(bytes, end);
  const before = skipSpaceBack(bytes, start);
  if (bytes[next] === COMMA) end = next + 1;
  else if (bytes[before - 1] === COMMA) start = before - 1;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
}
