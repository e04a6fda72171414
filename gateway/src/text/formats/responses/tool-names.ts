/**
 * Names of functions in a namespace. Other formats have no namespaces, so such a function is sent under one
 * combined name, and a call of it is split again.
 */
import type { ResponsesRequest } from '../../../contract/responses.ts';
import { isObject, type Json, listOf, textOf } from '../../../json/read-json.ts';
import { sha256 } from '../../../kernel/digest.ts';

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

export interface ToolNames {
  /** The combined name of a function in a namespace. */
  join(named: NamespacedName): string;
  /** Null for a function without a namespace. */
  split(joined: string): NamespacedName | null;
}

/** All function names of a request: of its tools and of earlier calls. */
export function toolNames(request: Pick<ResponsesRequest, 'tools' | 'input'>): ToolNames {
  const inner = [...offeredNames(request), ...calledNames(request)];
  if (inner.length === 0) return noNames;
  const taken = new Set(plainNames(request));
  const wanted = new Map<string, string>();
  const twice = new Set<string>();
  for (const named of inner) {
    const plain = plainJoin(named);
    const other = wanted.get(plain);
    if (other === undefined) wanted.set(plain, keyOf(named));
    else if (other !== keyOf(named)) twice.add(plain);
  }
  const joined = new Map<string, string>();
  const parts = new Map<string, NamespacedName>();
  for (const named of inner) {
    const key = keyOf(named);
    if (joined.has(key)) continue;
    const name = freeName(named, (text) => taken.has(text) || twice.has(text));
    taken.add(name);
    joined.set(key, name);
    parts.set(name, named);
  }
  return {
    join: (named) => joined.get(keyOf(named)) ?? plainJoin(named),
    split: (name) => parts.get(name) ?? null,
  };
}

const noNames: ToolNames = { join: plainJoin, split: () => null };

/** A function name that every provider accepts. */
const NAME_CHARACTERS_MAX = 64;
const FOREIGN = /[^a-zA-Z0-9_-]/g;
/** One provider rejects a leading digit. */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;
const DIGEST_CHARACTERS = 10;

function plainJoin({ namespace, name }: NamespacedName): string {
  return `${namespace}__${name}`;
}

/** Both names joined if that is valid and unique; otherwise truncated, with a digest. */
function freeName(named: NamespacedName, isTaken: (name: string) => boolean): string {
  const plain = plainJoin(named);
  const fits = plain.length <= NAME_CHARACTERS_MAX && NAME.test(plain);
  if (fits && !isTaken(plain)) return plain;
  const begun = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  const kept = begun.replaceAll(FOREIGN, '_').slice(0, NAME_CHARACTERS_MAX - DIGEST_CHARACTERS - 1);
  for (let attempt = 0; ; attempt++) {
    const name = `${kept}_${sha256(`${attempt} ${keyOf(named)}`).slice(0, DIGEST_CHARACTERS)}`;
    if (!isTaken(name)) return name;
  }
}

function keyOf({ namespace, name }: NamespacedName): string {
  return JSON.stringify([namespace, name]);
}

function plainNames({ tools, input }: Pick<ResponsesRequest, 'tools' | 'input'>): string[] {
  const offered = listOf(tools).flatMap(({ type, name }) =>
    type === 'function' || type === 'custom' ? [textOf(name)] : [],
  );
  return [
    ...offered,
    ...calls(input).flatMap((call) => (namespaceOf(call) === '' ? [textOf(call.name)] : [])),
  ];
}

function offeredNames({ tools }: Pick<ResponsesRequest, 'tools'>): NamespacedName[] {
  return listOf(tools).flatMap((tool) => {
    if (tool.type !== 'namespace') return [];
    const namespace = textOf(tool.name);
    return listOf(tool.tools).map((inner) => ({ namespace, name: textOf(inner.name) }));
  });
}

function calledNames({ input }: Pick<ResponsesRequest, 'input'>): NamespacedName[] {
  return calls(input).flatMap((call) => {
    const namespace = namespaceOf(call);
    return namespace === '' ? [] : [{ namespace, name: textOf(call.name) }];
  });
}

function calls(input: ResponsesRequest['input']): Json[] {
  if (typeof input === 'string') return [];
  return (input as readonly unknown[])
    .filter(isObject)
    .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call');
}

/** Empty for a function without a namespace. */
export function namespaceOf(call: Json): string {
  return textOf(call.namespace);
}
