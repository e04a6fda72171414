/** Finds the place of a field in a YAML document, for error messages. */
import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The place of the deepest part of `path` that the document has, or its start; null without a path. */
export function positionOf(document: Document, lines: LineCounter, path: string): Position | null {
  let node: unknown = document.contents;
  let rest = path;
  let offset: number | null = null;
  while (rest !== '') {
    const step = stepInto(isAlias(node) ? node.resolve(document) : node, rest);
    if (step === null) break;
    offset = step.key.range?.[0] ?? offset;
    node = step.value;
    rest = step.rest;
  }
  if (path === '') return null;
  if (offset === null) return { line: 1, column: 1 };
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
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
