/** Finds the line of a field in a YAML document, for error messages. */
import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import { ConfigError } from './config-error.ts';

type FindLine = (path: string) => number | null;

/** By the content that was read, so that later checks can name lines too. */
const finders = new WeakMap<object, FindLine>();

export function keepLines(content: object, find: FindLine): void {
  finders.set(content, find);
}

/** The error of a check on content that was read before. */
export function withLine(content: object, error: unknown): unknown {
  return atLine(error, finders.get(content));
}

/** The error with the line of its field; unchanged if the file does not have the field. */
export function atLine(error: unknown, find: FindLine | undefined): unknown {
  if (!(error instanceof ConfigError)) return error;
  const line = find?.(error.path) ?? null;
  return line === null ? error : new ConfigError(`${error.message} (line ${line})`);
}

/** The line of the deepest part of `path` that the document has; null if it has none of it. */
export function lineOf(document: Document, lines: LineCounter, path: string): number | null {
  let node: unknown = document.contents;
  let rest = path;
  let offset: number | null = null;
  while (rest !== '') {
    const step = stepInto(node, rest);
    if (step === null) break;
    offset = step.key.range?.[0] ?? offset;
    node = step.value;
    rest = step.rest;
  }
  return offset === null ? null : lines.linePos(offset).line;
}

interface Step {
  readonly key: Node;
  readonly value: unknown;
  readonly rest: string;
}

/** Keys may contain dots, so the longest key that fits is taken. */
function stepInto(node: unknown, rest: string): Step | null {
  if (isSeq(node)) {
    const index = /^\[(\d+)\]\.?/.exec(rest);
    const item = index === null ? undefined : node.items[Number(index[1])];
    return index === null || item === undefined
      ? null
      : { key: item as Node, value: item, rest: rest.slice(index[0].length) };
  }
  if (!isMap(node)) return null;
  const found = node.items
    .flatMap(({ key, value }) => (isScalar(key) ? [{ key, name: String(key.value), value }] : []))
    .filter(({ name }) => rest.startsWith(name) && /^($|\.|\[)/.test(rest.slice(name.length)))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (found === undefined) return null;
  return { key: found.key, value: found.value, rest: rest.slice(found.name.length).replace(/^\./, '') };
}
