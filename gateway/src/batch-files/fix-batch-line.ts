/**
 * Fixes a line of a batch file where that does not change the request. The rest of the line stays the same, byte for
 * byte. Faults that need a decision are left as they are. Pure.
 */
import type { Model } from '../catalog/model.ts';
import {
  ALL_OUTPUT_CAPS,
  endpointOf,
  FIELDS_NOT_ALLOWED,
  LINE_LIMITS,
  OUTPUT_CAPS,
} from '../contract/batch-lines/check-line-value.ts';
import { type BatchKind, type BatchUrl, batchUrls } from '../contract/paid-endpoints.ts';
import { removeFields, replaceFields } from '../json/edit-fields.ts';
import { type JsonObject, locateFields, parseJsonObject } from '../json/parse-json.ts';
import type { FindBatchModel } from './check-batch-line.ts';

/** Fields about how an answer is delivered, which do not apply to batches. */
const DELIVERY_FIELDS: readonly string[] = ['stream', 'stream_options', 'store'];

type Editable = Pick<JsonObject, 'bytes' | 'fields'>;

/** Returns one line, or several if lone carriage returns separated them. */
export function fixBatchLine(bytes: Buffer, findModel: FindBatchModel): Buffer[] {
  const line = parsed(bytes);
  if (line !== null) return [fixLine(line, findModel)];
  const pieces = splitAtReturns(bytes);
  const lines = pieces.map(parsed);
  if (pieces.length < 2 || lines.includes(null)) return [bytes];
  return lines.map((piece) => fixLine(piece as JsonObject, findModel));
}

function fixLine(line: JsonObject, findModel: FindBatchModel): Buffer {
  const { url, body, method } = line.value;
  const changes: Record<string, string> = {};
  if (method !== 'POST') changes.method = '"POST"';
  const range = line.fields.get('body');
  if (range !== undefined && isObject(body) && (batchUrls as readonly unknown[]).includes(url)) {
    const bytes = line.bytes.subarray(range.start, range.end);
    const fixed = fixBody(
      { value: body, bytes, fields: locateFields(bytes) },
      endpointOf(url as BatchUrl),
      findModel,
    );
    if (fixed !== bytes) changes.body = fixed.toString('utf8');
  }
  return Object.keys(changes).length === 0 ? line.bytes : replaceFields(line, changes);
}

function fixBody(body: JsonObject, endpoint: BatchKind, findModel: FindBatchModel): Buffer {
  const { value } = body;
  const found = typeof value.model === 'string' ? findModel(value.model, endpoint) : null;
  const model = found === null || 'reason' in found ? null : found;
  const changes: Record<string, string> = {};
  const unwanted = FIELDS_NOT_ALLOWED.filter(
    (name) => Object.hasOwn(value, name) && (DELIVERY_FIELDS.includes(name) || value[name] === null),
  ) as string[];
  if (endpoint === 'embeddings') unwanted.push('service_tier');
  else if (value.service_tier !== 'default') changes.service_tier = '"default"';
  const own = capOf(endpoint, model);
  for (const name of ALL_OUTPUT_CAPS) {
    if (!Object.hasOwn(value, name) || name === own || !isMisplaced(name, endpoint, model)) continue;
    unwanted.push(name);
    if (own !== null && !Object.hasOwn(value, own)) changes[own] = JSON.stringify(value[name]);
  }
  if (model?.batchRequires === 'web_search') {
    const tools = Array.isArray(value.tools) ? (value.tools as unknown[]) : [];
    const searches = tools.some((tool) => isObject(tool) && tool.type === 'web_search');
    if (!searches) changes.tools = JSON.stringify([...tools, { type: 'web_search' }]);
  }
  return edited(body, unwanted, changes);
}

/** The output cap field for lines of this kind. */
function capOf(endpoint: BatchKind, model: Model | null): string | null {
  if (endpoint === 'chat') return model?.outputCapField ?? 'max_completion_tokens';
  return OUTPUT_CAPS[endpoint][0] ?? null;
}

/** A chat line may use either of two fields, unless the model accepts only one. */
function isMisplaced(name: string, endpoint: BatchKind, model: Model | null): boolean {
  return !OUTPUT_CAPS[endpoint].includes(name) || (model !== null && model.outputCapField !== null);
}

function edited(
  body: Editable,
  unwanted: readonly string[],
  changes: Readonly<Record<string, string>>,
): Buffer {
  const left = removeFields(body, unwanted);
  return Object.keys(changes).length === 0 ? left.bytes : replaceFields(left, changes);
}

function parsed(bytes: Buffer): JsonObject | null {
  try {
    return parseJsonObject(bytes, LINE_LIMITS);
  } catch {
    return null;
  }
}

function splitAtReturns(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(CARRIAGE_RETURN, from);
    const end = at < 0 ? bytes.length : at;
    if (end > from) pieces.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return pieces;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const CARRIAGE_RETURN = 13;
