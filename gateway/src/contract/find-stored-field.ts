/**
 * Finds a field of a request that names something stored at a provider (stored-fields.ts). Reads only the places that the
 * list has. Without the schema library: clients check batch lines with it too.
 */
import { pathName } from '../json/path-name.ts';
import { Problem } from '../kernel/problem.ts';
import {
  ANY_ID,
  ITSELF,
  type Places,
  StoredField,
  type StoredFormat,
  storedFields,
  THREAD,
} from './stored-fields.ts';

export interface FoundField {
  /** `messages[0].content[1].file_id` */
  readonly path: string;
  readonly field: StoredField;
}

/** The first of them, or null. */
export function findStoredField(format: StoredFormat, request: unknown): FoundField | null {
  const found = findIn(request, storedFields[format]);
  return found === null ? null : { path: pathName(found.steps.reverse()), field: found.field };
}

/** Throws a Problem that names the field and says what to do. */
export function rejectStoredField(format: StoredFormat, request: unknown): void {
  const found = findStoredField(format, request);
  if (found === null) return;
  const { path, field } = found;
  throw new Problem('invalid_parameter', {
    detail: sentence(format, found),
    param: path,
    // With this, the Anthropic library sends the whole conversation instead.
    ...(field === THREAD && {
      details: { error_code: 'thread_unsupported_request', unsupported: [path] },
    }),
  });
}

/** For messages in Anthropic's form, as all errors about its fields (messages-refusal.ts). */
function sentence(format: StoredFormat, { path, field: { names, instead } }: FoundField): string {
  const why = `names ${names} at a provider, whose account all spaces share; ${instead}.`;
  if (format !== 'messages') return `${path} ${why}`;
  return `${path.replaceAll(/\[(\d+)\]/g, '.$1')}: Extra inputs are not permitted. It ${why}`;
}

/** `steps` from the field up to the request: they are only written when something was found. */
interface Found {
  readonly steps: Array<string | number>;
  readonly field: StoredField;
}

function findIn(value: unknown, places: Places): Found | null {
  if (typeof value === 'string') {
    const field = places[ITSELF];
    return field === undefined ? null : { steps: [], field };
  }
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return findInObject(value as Fields, places);
  for (let i = 0; i < value.length; i++) {
    const found = findIn(value[i], places);
    if (found !== null) return step(found, i);
  }
  return null;
}

type Fields = Readonly<Record<string, unknown>>;

function findInObject(object: Fields, places: Places): Found | null {
  for (const name in places) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const place = places[name] as Places[string];
    if (place instanceof StoredField) {
      if (isSet(value)) return { steps: [name], field: place };
      continue;
    }
    const found = findIn(value, typeof place === 'function' ? place() : place);
    if (found !== null) return step(found, name);
  }
  const field = places[ANY_ID];
  return field === undefined || !isHosted(object) ? null : findAnyId(object, field);
}

/** Libraries send null, empty lists and empty objects for "not set". */
function isSet(value: unknown): boolean {
  return typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value !== undefined;
}

function step(found: Found, by: string | number): Found {
  found.steps.push(by);
  return found;
}

/** Tools that the caller runs have schemas, whose properties may have any name. */
const ownTools = new Set(['function', 'custom', 'namespace']);
/** Names that the caller chose. */
const ownNames = new Set(['headers', 'parameters', 'input_schema']);

function isHosted({ type }: Fields): boolean {
  return typeof type === 'string' && !ownTools.has(type);
}

function findAnyId(value: unknown, field: StoredField): Found | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    if (ownNames.has(name)) continue;
    if (/_ids?$/.test(name) && isSet(inner)) return { steps: [name], field };
    const found = findAnyId(inner, field);
    if (found !== null) return step(found, Array.isArray(value) ? Number(name) : name);
  }
  return null;
}
