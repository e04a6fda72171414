/** Replaces values anywhere in JSON by their paths and keeps every other byte. The JSON must be well-formed. */
import { JSON_BYTES, skipSpace, stringEnd } from './json-bytes.ts';
import { type JsonObject, locateFields } from './parse-json.ts';
import type { ByteRange } from './scan-json.ts';

const { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } = JSON_BYTES;

export type JsonPath = ReadonlyArray<string | number>;

export interface JsonEdit {
  readonly path: JsonPath;
  readonly value: unknown;
}

/** A path that does not exist changes nothing. No path may be a prefix of another. */
export function replaceValues(object: JsonObject, edits: readonly JsonEdit[]): JsonObject {
  const found = new Walk(object.bytes).run(treeOf(edits));
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

function treeOf(edits: readonly JsonEdit[]): Tree {
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

/** Walks over the bytes once and skips values that have no edit in them. */
class Walk {
  readonly #bytes: Buffer;
  readonly #found: Found[] = [];
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  run(tree: Tree): Found[] {
    this.#value(tree);
    return this.#found;
  }

  #value(tree: Tree): void {
    this.#at = skipSpace(this.#bytes, this.#at);
    if (!(tree instanceof Map)) {
      const start = this.#at;
      this.#skip();
      this.#found.push({ range: { start, end: this.#at }, edit: tree });
      return;
    }
    const opening = this.#bytes[this.#at];
    if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) this.#skip();
    else this.#items(tree, opening === OPEN_BRACE);
  }

  #items(tree: ReadonlyMap<string | number, Tree>, named: boolean): void {
    const bytes = this.#bytes;
    this.#at = skipSpace(bytes, this.#at + 1);
    for (let i = 0; bytes[this.#at] !== CLOSE_BRACE && bytes[this.#at] !== CLOSE_BRACKET; i++) {
      const wanted = tree.get(named ? this.#key() : i);
      if (wanted === undefined) this.#skip();
      else this.#value(wanted);
      this.#at = skipSpace(bytes, this.#at);
      if (bytes[this.#at] === COMMA) this.#at = skipSpace(bytes, this.#at + 1);
    }
    this.#at++;
  }

  #key(): string {
    const end = stringEnd(this.#bytes, this.#at + 1) + 1;
    const key = JSON.parse(this.#bytes.toString('utf8', this.#at, end)) as string;
    // After the colon.
    this.#at = skipSpace(this.#bytes, end) + 1;
    return key;
  }

  #skip(): void {
    const bytes = this.#bytes;
    this.#at = skipSpace(bytes, this.#at);
    const first = bytes[this.#at];
    if (first === QUOTE) this.#at = stringEnd(bytes, this.#at + 1) + 1;
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) this.#skipNested();
    else while (isBare(bytes[this.#at])) this.#at++;
  }

  #skipNested(): void {
    const bytes = this.#bytes;
    let depth = 0;
    do {
      const byte = bytes[this.#at];
      if (byte === QUOTE) this.#at = stringEnd(bytes, this.#at + 1);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
      this.#at++;
    } while (depth > 0);
  }
}

/** A byte of a number or of a word such as `true`. */
function isBare(byte: number | undefined): boolean {
  return byte !== undefined && byte > 32 && byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET;
}
