/** A line of an input file as the call that it stands for. Pure. */
import {
  type JsonLimits,
  type JsonObject,
  locateFields,
  parseJsonObject,
  removeFields,
} from '../kernel/json.ts';

export interface ReadLine {
  readonly customId: string;
  /** Without what only a batch has. */
  readonly body: JsonObject;
}

/** Of the line's own making, and of no use to a call of its own. */
const BATCH_FIELDS = ['service_tier'];

/** The line was checked when it was uploaded. */
export function readLine(bytes: Buffer, limits: JsonLimits): ReadLine {
  const line = parseJsonObject(bytes, limits);
  const range = line.fields.get('body');
  if (range === undefined) throw new Error('a line without a body');
  const sent = bytes.subarray(range.start, range.end);
  const kept = removeFields({ bytes: sent, fields: locateFields(sent) }, BATCH_FIELDS);
  const value = { ...(line.value.body as Record<string, unknown>) };
  for (const field of BATCH_FIELDS) delete value[field];
  return { customId: line.value.custom_id as string, body: { ...kept, value } };
}
