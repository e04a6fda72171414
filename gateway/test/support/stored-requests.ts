/** A request for every field that names something stored at a provider, made from the list itself. */
import {
  ANY_ID,
  ITSELF,
  type Places,
  StoredField,
  type StoredFormat,
  storedFields,
} from '../../src/contract/stored-fields.ts';

export interface StoredPath {
  readonly format: StoredFormat;
  /** As docs/formats.md writes it: `messages[].content[].file_id`. */
  readonly path: string;
  readonly field: StoredField;
}

/** What is a list in requests; a field of another name is an object. */
const lists = new Set(['messages', 'content', 'input', 'tools', 'skills']);
/** A place that contains itself is followed this often. */
const REPEATS_MAX = 2;

export const storedPaths: readonly StoredPath[] = (['chat', 'responses', 'messages'] as const).flatMap(
  (format) => pathsIn(storedFields[format], '', new Map()).map(([path, field]) => ({ format, path, field })),
);

function pathsIn(places: Places, at: string, seen: Map<Places, number>): Array<[string, StoredField]> {
  const times = seen.get(places) ?? 0;
  if (times === REPEATS_MAX) return [];
  const inner = new Map(seen).set(places, times + 1);
  const found: Array<[string, StoredField]> = [];
  if (places[ITSELF] !== undefined) found.push([at.replace(/\[\]$/, ''), places[ITSELF]]);
  for (const [name, place] of Object.entries(places)) {
    const path = `${at === '' ? '' : `${at}.`}${name}`;
    if (place instanceof StoredField) found.push([path, place]);
    else {
      const list = lists.has(name) ? `${path}[]` : path;
      found.push(...pathsIn(typeof place === 'function' ? place() : place, list, inner));
    }
  }
  if (places[ANY_ID] !== undefined) found.push([`${at}.x.any_id`, places[ANY_ID]]);
  return found;
}

/** A good request of the format with the field in it, and the name that an error has for the field. */
export function storedRequest(
  { format, path }: Pick<StoredPath, 'format' | 'path'>,
  model: string,
): { body: Record<string, unknown>; param: string } {
  const body = good[format](model) as Record<string, unknown>;
  const value = path.endsWith('_ids') ? ['stored_1'] : 'stored_1';
  put(body, path.split('.'), value);
  return { body, param: path.replaceAll('[]', '[0]') };
}

const good: Readonly<Record<StoredFormat, (model: string) => object>> = {
  chat: (model) => ({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  responses: (model) => ({ model, input: [{ role: 'user', content: 'Hello' }] }),
  messages: (model) => ({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
};

function put(object: Record<string, unknown>, [step = '', ...rest]: readonly string[], value: unknown): void {
  const name = step.replace('[]', '');
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  const given = object[name];
  const isOpen = typeof given === 'object' && given !== null;
  if (step.endsWith('[]')) {
    const item = (isOpen ? (given as object[])[0] : undefined) ?? kindOf(name, rest);
    object[name] = [item];
    put(item as Record<string, unknown>, rest, value);
  } else {
    if (!isOpen) object[name] = {};
    put(object[name] as Record<string, unknown>, rest, value);
  }
}

/** Any id counts in tools that the provider runs. */
function kindOf(name: string, rest: readonly string[]): object {
  return name === 'tools' && rest[0] === 'x' ? { type: 'some_search' } : {};
}
