/** Replaces values anywhere in JSON by their paths and keeps every other byte. The JSON must be well-formed. */
import type { ByteRange } from './field-ranges.ts';
import { JSON_BYTES, skipSpace, skipSpaceBack } from './json-bytes.ts';
import { NO_LIMITS } from './json-limits.ts';
import { type JsonObject, locateFields } from './parse-json.ts';
import { StructureWalk } from './walk-structure.ts';

const { COLON, COMMA, OPEN_BRACE, OPEN_BRACKET } = JSON_BYTES;

export type JsonPath = ReadonlyArray<string | number>;

export interface JsonEdit {
  readonly path: JsonPath;
  readonly value: unknown;
}

/** A path that does not exist changes nothing. No path may be a prefix of another. */
export function replaceValues(object: JsonObject, edits: readonly JsonEdit[]): JsonObject {
  const found = findValues(object.bytes, treeOf(edits));
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { range, edit } of found) {
    pieces.push(object.bytes.subarray(from, range.start), Buffer.from(JSON.stringify(edit.value)));
    from = range.end;
  }
  pieces.push(object.bytes.subarray(from));
  const bytes = Buffer.concat(pieces);
  const value = found.reduce<unknown>(
    (whole, { edit }) => withValue(whole, edit.path, edit.value),
    object.value,
  );
  return { value: value as JsonObject['value'], bytes, fields: locateFields(bytes) };
}

/** The edits below a value, by key or index; or the edit of the value itself. */
type Tree = Map<string | number, Tree> | JsonEdit;

interface Found {
  readonly range: ByteRange;
  readonly edit: JsonEdit;
}

function treeOf(edits: readonly JsonEdit[]): Map<string | number, Tree> {
  const root = new Map<string | number, Tree>();
  for (const edit of edits) {
    let at = root;
    for (const [i, step] of edit.path.entries()) {
      const last = i === edit.path.length - 1;
      const next = last ? edit : (at.get(step) ?? new Map());
      at.set(step, next);
      if (next instanceof Map) at = next;
    }
  }
  return root;
}

/** Copies what is on the path and shares the rest. */
function withValue(whole: unknown, [step, ...rest]: JsonPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    return whole.map((item, i) => (i === step ? withValue(item, rest, value) : item));
  }
  const fields = whole as Record<string, unknown>;
  return { ...fields, [step]: withValue(fields[step], rest, value) };
}

/** A list or object with edits in it that is being walked over. */
interface Open {
  readonly edits: ReadonlyMap<string | number, Tree>;
  /** Of the current item; null in an object. */
  index: number | null;
  /** The edits in the current value or of it, and where it begins, with the spaces before it. */
  current: Tree | undefined;
  start: number;
}

/** Walks over the bytes once and does not look into values that have no edit in them. */
function findValues(bytes: Buffer, tree: Map<string | number, Tree>): Found[] {
  const found: Found[] = [];
  /** By depth. */
  const open: Open[] = [{ edits: new Map(), index: null, current: tree, start: 0 }];
  const meet = (byte: number, at: number, depth: number): boolean => {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const edits = open[depth - 1]?.current as Map<string | number, Tree>;
      const index = byte === OPEN_BRACKET ? 0 : null;
      open[depth] = { edits, index, current: undefined, start: at };
      if (index !== null) begin(at, depth, index);
      return true;
    }
    const around = open[depth] as Open;
    if (byte === COLON) begin(at, depth, nameBefore());
    else {
      end(at, around);
      if (byte === COMMA && around.index !== null) begin(at, depth, ++around.index);
    }
    return true;
  };
  const begin = (at: number, depth: number, step: string | number): void => {
    const around = open[depth] as Open;
    around.current = around.edits.get(step);
    around.start = at + 1;
    walk.depthRead = around.current instanceof Map ? depth + 1 : depth;
  };
  const end = (at: number, { current, start }: Open): void => {
    if (current === undefined || current instanceof Map) return;
    const range = { start: skipSpace(bytes, start), end: skipSpaceBack(bytes, at) };
    // An empty list has no first item.
    if (range.start < range.end) found.push({ range, edit: current });
  };
  const walk = new StructureWalk(NO_LIMITS, { meet }, 1);
  const nameBefore = (): string => JSON.parse(bytes.toString('utf8', walk.stringStart, walk.stringEnd));
  walk.walk(bytes);
  return found;
}
