/** Parses a body whose long strings were cut out: at once where that is quick, else a slice at a time. */
import { isUtf8 } from 'node:buffer';
import { nextTurn } from '../next-turn.ts';
import { type JsonLimits, type JsonObject, parseJsonObject } from './json.ts';
import type { CutJson } from './json-cutter.ts';
import { notUtf8 } from './json-problems.ts';
import { SlicedParser } from './json-slices.ts';

/** What the engine's parser takes for a byte of text and for a value, about. */
const BYTE_NS = 1.5;
const VALUE_NS = 60;
/** Longer than this, everybody else would notice. */
const AT_ONCE_NS_MAX = 3_000_000;
/** Nothing so short takes long, whatever it is. */
export const SHORT_BYTES = 64 * 1024;
/** Some two milliseconds. */
const STEPS_PER_TURN = 10_000;

export async function parseCutJson(cut: CutJson, limits: JsonLimits): Promise<JsonObject> {
  const object = takesLong(cut) ? await inSlices(cut.bytes, limits) : parseJsonObject(cut.bytes, limits);
  return cut.inline === undefined ? object : { ...object, inline: cut.inline };
}

/** For what is there already and is kept whole, as a line of a file is. */
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
