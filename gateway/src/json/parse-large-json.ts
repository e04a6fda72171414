/** Parses a large body: at once if that is quick, otherwise in slices with event-loop turns between them. */

import { isUtf8 } from 'node:buffer';
import { KIB } from '../kernel/bytes.ts';
import { nextTurn } from '../kernel/next-turn.ts';
import type { CutJson } from './cut-long-strings.ts';
import type { JsonLimits } from './json-limits.ts';
import { notUtf8 } from './json-problems.ts';
import { SlicedParser } from './parse-in-slices.ts';
import { type JsonObject, parseCountedObject, parseJsonObject } from './parse-json.ts';

/** Roughly what the checks and the engine's parser take per byte of text and per value. */
const BYTE_NS = 4;
const VALUE_NS = 120;
/** Blocking the event loop for longer delays other calls noticeably. */
const AT_ONCE_NS_MAX = 3_000_000;
/** A shorter body never takes long. */
export const SHORT_BYTES = 64 * KIB;
/** About two milliseconds. */
const STEPS_PER_TURN = 10_000;

export async function parseCutJson(cut: CutJson, limits: JsonLimits): Promise<JsonObject> {
  const { bytes, keys, fields } = cut;
  const object = takesLong(cut)
    ? await inSlices(bytes, limits)
    : fields === null
      ? parseJsonObject(bytes, limits)
      : parseCountedObject(bytes, { keys, fields });
  return cut.inline === undefined ? object : { ...object, inline: cut.inline };
}

/** For bytes that are complete and are kept as they are, such as a line of a file. */
export async function parseLongJson(bytes: Buffer, limits: JsonLimits): Promise<JsonObject> {
  if (bytes.length <= SHORT_BYTES) return parseJsonObject(bytes, limits);
  if (!isUtf8(bytes)) throw notUtf8();
  return await inSlices(bytes, limits);
}

function takesLong({ bytes, values }: Pick<CutJson, 'bytes' | 'values'>): boolean {
  return bytes.length * BYTE_NS + values * VALUE_NS > AT_ONCE_NS_MAX;
}

async function inSlices(bytes: Buffer, limits: JsonLimits): Promise<JsonObject> {
  const parser = new SlicedParser(bytes, limits);
  while (!parser.run(STEPS_PER_TURN)) await nextTurn();
  return parser.object();
}
