/**
 * The rules for one parsed line of a batch file. Pure: a value and the models in, facts or all faults out. The upload,
 * `tollgate batches check` and the console use the same rules; rules for several lines are in batch-rows.ts.
 *
 * Parameters that only the model can judge are not checked, so a line of an accepted batch may still fail.
 */
import type { JsonProblem } from '../../json/json-problems.ts';
import { findStoredField } from '../find-stored-field.ts';
import { findKeptReference } from '../kept-reference.ts';
import { type BatchKind, type BatchUrl, batchKinds, batchUrls } from '../paid-endpoints.ts';
import { checkEmbeddingInput } from './check-embedding-input.ts';
import { endpointOfBody } from './endpoint-of-body.ts';
import { faultOf, quotedValue, type RowFault, rowFault } from './row-fault.ts';
import type { RowSentenceName } from './row-sentences.ts';

/** What the rules need to know about a model. */
export interface BatchLineModel {
  readonly code: string;
  /** A tool that every line must use. */
  readonly batchRequires: 'web_search' | null;
}

export interface LineValueFacts<Model extends BatchLineModel> {
  readonly customId: string;
  readonly url: BatchUrl;
  readonly endpoint: BatchKind;
  readonly model: Model;
  /** How many vectors it requests; 0 for text. */
  readonly embeddingInputs: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the model of a code, or why lines of this endpoint cannot use it. */
export type FindLineModel<Model extends BatchLineModel> = (
  code: string,
  endpoint: BatchKind,
) => Model | RowFault;

export type CheckedLineValue<Model extends BatchLineModel> =
  | { readonly facts: LineValueFacts<Model>; readonly faults: readonly [] }
  | FaultyLine;

export interface FaultyLine {
  readonly facts: null;
  /** All of them, at most `FAULTS_MAX`. */
  readonly faults: readonly RowFault[];
  /** Null if it has none that could be used. */
  readonly customId: string | null;
  /** What can be compared with other rows in spite of its faults. */
  readonly url: BatchUrl | null;
  readonly model: BatchLineModel | null;
}

/** A line may have any number of unknown fields. */
export const FAULTS_MAX = 20;

/** The limits of a single call, except for the number of values: a line may hold many token ids. */
export const LINE_LIMITS = {
  depthMax: 64,
  keysMax: 100_000,
  valuesMax: 5_000_000,
  containersMax: 100_000,
};

const LINE_FIELDS = ['custom_id', 'method', 'url', 'body'];

/** Batch input rule 7. */
export const FIELDS_NOT_ALLOWED = [
  'stream',
  'stream_options',
  'functions',
  'function_call',
  'audio',
  'modalities',
  'prediction',
  'web_search_options',
  'store',
] as const;

/** Batch input rule 4: the output cap fields of each endpoint. */
export const OUTPUT_CAPS: Readonly<Record<BatchKind, readonly string[]>> = {
  chat: ['max_tokens', 'max_completion_tokens'],
  responses: ['max_output_tokens'],
  embeddings: [],
};
export const ALL_OUTPUT_CAPS = [...OUTPUT_CAPS.chat, ...OUTPUT_CAPS.responses];

export function checkLineValue<Model extends BatchLineModel>(
  value: Readonly<Record<string, unknown>>,
  findModel: FindLineModel<Model>,
): CheckedLineValue<Model> {
  const faults = checkEnvelope(value);
  const { body } = value;
  if (!isObject(body)) return faultyLine(faults, value.custom_id);
  const url = isBatchUrl(value.url) ? value.url : null;
  // What a body may have depends on its endpoint.
  const endpoint =
    url === null
      ? endpointOfBody(body, (code, kind) => !('reason' in findModel(code, kind)))
      : endpointOf(url);
  if (endpoint === null) return faultyLine(faults, value.custom_id);
  const found = checkModel(body, endpoint, findModel);
  const model = 'reason' in found ? null : found;
  const input = endpoint === 'embeddings' && body.input != null ? checkEmbeddingInput(body.input) : NO_INPUTS;
  faults.push(
    ...present([model === null ? (found as RowFault) : null]),
    ...checkFields(body, endpoint),
    ...present([
      checkStored(body, endpoint),
      checkServiceTier(body, endpoint),
      checkContent(body, endpoint),
      model && checkWebSearch(body, model),
      input.fault,
    ]),
  );
  if (faults.length > 0 || model === null || url === null) {
    return { ...faultyLine(faults, value.custom_id), url, model };
  }
  const customId = value.custom_id as string;
  return { facts: { customId, url, endpoint, model, embeddingInputs: input.inputs, body }, faults: [] };
}

export function faultyLine(faults: readonly RowFault[], customId: unknown = null): FaultyLine {
  const isName = typeof customId === 'string' && checkCustomId(customId) === null;
  const listed = faults.slice(0, FAULTS_MAX);
  return { facts: null, faults: listed, customId: isName ? customId : null, url: null, model: null };
}

function present(faults: ReadonlyArray<RowFault | null>): RowFault[] {
  return faults.filter((fault) => fault !== null);
}

function isBatchUrl(url: unknown): url is BatchUrl {
  return (batchUrls as readonly unknown[]).includes(url);
}

const NO_INPUTS = { inputs: 0, fault: null };

export function endpointOf(url: BatchUrl): BatchKind {
  return batchKinds[batchUrls.indexOf(url)] as BatchKind;
}

export function urlOfEndpoint(endpoint: BatchKind): BatchUrl {
  return batchUrls[batchKinds.indexOf(endpoint)] as BatchUrl;
}

/** A line that could not be parsed. */
export function unreadableLine({ sentence }: JsonProblem, hasReturn: boolean): RowFault {
  const hint = hasReturn ? [{ name: 'carriage_return', values: {} } as const] : [];
  return faultOf(['invalid_json', null], [sentence, ...hint]);
}

export function notUtf8Line(): RowFault {
  return rowFault(['invalid_utf8', null], 'not_utf8');
}

function checkEnvelope(value: Readonly<Record<string, unknown>>): RowFault[] {
  const faults: RowFault[] = [];
  for (const name of Object.keys(value)) {
    if (LINE_FIELDS.includes(name)) continue;
    if (faults.length >= FAULTS_MAX) return faults;
    const values = { fields: LINE_FIELDS.join(', '), field: quotedValue(name) };
    faults.push(rowFault(['unknown_field', name.slice(0, 100)], 'unknown_line_field', values));
  }
  for (const name of LINE_FIELDS) faults.push(...present([checkLineField(name, value[name])]));
  return faults;
}

function checkLineField(name: string, given: unknown): RowFault | null {
  if (given === undefined || given === null) return missing(name);
  if (name === 'body') return isObject(given) ? null : wrongType(name, 'not_object');
  if (typeof given !== 'string') return wrongType(name, 'not_string');
  if (name === 'custom_id') return checkCustomId(given);
  return name === 'method' ? checkMethod(given) : checkUrl(given);
}

function checkCustomId(id: string): RowFault | null {
  if (id === '') return rowFault(['missing_field', 'custom_id'], 'empty_custom_id');
  // Neither can be stored in the database.
  if (id.isWellFormed() && !id.includes('\0')) return null;
  return rowFault(['invalid_type', 'custom_id'], 'unstorable_custom_id');
}

function checkMethod(method: string): RowFault | null {
  if (method === 'POST') return null;
  return rowFault(['invalid_method', 'method'], 'wrong_method', { method: quotedValue(method) });
}

function checkUrl(url: string): RowFault | null {
  if (isBatchUrl(url)) return null;
  const values = { urls: batchUrls.join(', '), url: quotedValue(url) };
  return rowFault(['unsupported_url', 'url'], 'wrong_url', values);
}

function checkModel<Model extends BatchLineModel>(
  body: Readonly<Record<string, unknown>>,
  endpoint: BatchKind,
  findModel: FindLineModel<Model>,
): Model | RowFault {
  const { model } = body;
  if (model === undefined || model === null || model === '') return missing('body.model');
  return typeof model === 'string' ? findModel(model, endpoint) : wrongType('body.model', 'not_string');
}

function checkFields(body: Readonly<Record<string, unknown>>, endpoint: BatchKind): RowFault[] {
  const rejected: string[] = FIELDS_NOT_ALLOWED.filter((name) => Object.hasOwn(body, name));
  // A batch runs in the background itself.
  if (body.background === true) rejected.push('background');
  const foreign = ALL_OUTPUT_CAPS.filter(
    (name) => Object.hasOwn(body, name) && !OUTPUT_CAPS[endpoint].includes(name),
  );
  return [
    ...rejected.map((name) => notAllowed(name, 'field_not_allowed')),
    ...foreign.map((name) => foreignCap(name, endpoint)),
  ];
}

function foreignCap(name: string, endpoint: BatchKind): RowFault {
  const [own] = OUTPUT_CAPS[endpoint].toReversed();
  const at = ['unknown_field', `body.${name}`] as const;
  const values = { url: urlOfEndpoint(endpoint), field: name };
  return own === undefined
    ? rowFault(at, 'no_output_cap', values)
    : rowFault(at, 'other_output_cap', { ...values, own });
}

/** Also lines for a provider that would take them: see stored-fields.ts. */
function checkStored(body: Readonly<Record<string, unknown>>, endpoint: BatchKind): RowFault | null {
  if (endpoint === 'embeddings') return null;
  const stored = findStoredField(endpoint, body);
  if (stored !== null) return notAllowed(stored.path, 'stored_at_provider');
  const kept = endpoint === 'responses' ? findKeptReference(body) : null;
  return kept === null ? null : notAllowed(kept, 'kept_response');
}

/** Batch input rule 3. */
function checkServiceTier(body: Readonly<Record<string, unknown>>, endpoint: BatchKind): RowFault | null {
  const field = 'body.service_tier';
  if (endpoint === 'embeddings') {
    return Object.hasOwn(body, 'service_tier')
      ? rowFault(['service_tier_not_allowed', field], 'no_service_tier')
      : null;
  }
  return body.service_tier === 'default'
    ? null
    : rowFault(['service_tier_required', field], 'service_tier_missing');
}

function checkContent(body: Readonly<Record<string, unknown>>, endpoint: BatchKind): RowFault | null {
  const name = endpoint === 'chat' ? 'messages' : 'input';
  const given = body[name];
  if (given === undefined || given === null) return missing(`body.${name}`);
  if (endpoint === 'embeddings' || (endpoint === 'responses' && typeof given === 'string')) return null;
  if (Array.isArray(given) && given.length > 0 && given.every(isObject)) return null;
  return wrongType(`body.${name}`, endpoint === 'chat' ? 'not_messages' : 'not_items');
}

/** Batch input rule 5. */
function checkWebSearch(body: Readonly<Record<string, unknown>>, model: BatchLineModel): RowFault | null {
  if (model.batchRequires !== 'web_search') return null;
  const tools = Array.isArray(body.tools) ? (body.tools as unknown[]) : [];
  if (tools.some((tool) => isObject(tool) && tool.type === 'web_search')) return null;
  const values = { model: model.code, tools: '"tools": [{"type": "web_search"}]' };
  return rowFault(['endpoint_requires_web_search', 'body.tools'], 'web_search_missing', values);
}

function notAllowed(name: string, sentence: RowSentenceName): RowFault {
  const field = `body.${name}`;
  return rowFault(['field_not_allowed', field], sentence, { field });
}

function missing(field: string): RowFault {
  return rowFault(['missing_field', field], 'missing', { field });
}

function wrongType(field: string, name: RowSentenceName): RowFault {
  return rowFault(['invalid_type', field], name, { field });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
