/** Reads a line of an input file as a single call. Pure. */
import { removeFields } from '../json/edit-fields.ts';
import type { JsonLimits } from '../json/json-limits.ts';
import { type JsonObject, locateFields } from '../json/parse-json.ts';
import { parseLongJson, SHORT_BYTES } from '../json/parse-large-json.ts';

export interface ReadLine {
  readonly customId: string;
  /** Without the fields that only batches have. */
  readonly body: JsonObject;
}

/** Fields that a single call does not have. */
const BATCH_FIELDS = ['service_tier'];

/** The upload has checked the line. Long lines are parsed in slices. */
export async function readLine(bytes: Buffer, limits: JsonLimits): Promise<ReadLine> {
  const line = await parseLongJson(bytes, limits);
  const range = line.fields.get('body');
  if (range === undefined) throw new Error('a line without a body');
  const sent = await located(bytes.subarray(range.start, range.end), limits);
  const kept = removeFields(sent, BATCH_FIELDS);
  const value = { ...(line.value.body as Record<string, unknown>) };
  for (const field of BATCH_FIELDS) delete value[field];
  return { customId: line.value.custom_id as string, body: { ...kept, value } };
}

async function located(bytes: Buffer, limits: JsonLimits): Promise<Pick<JsonObject, 'bytes' | 'fields'>> {
  if (bytes.length <= SHORT_BYTES) return { bytes, fields: locateFields(bytes) };
  return await parseLongJson(bytes, limits);
}
