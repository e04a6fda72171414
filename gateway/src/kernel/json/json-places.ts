/**
 * Replaces values deep inside of JSON by their paths, and leaves every other byte as it was. The JSON was
 * parsed before, so it is well-formed.
 */
import { type ByteRange, type JsonObject, locateFields, skipSpace, stringEnd } from './json.ts';

export type JsonPath = ReadonlyArray<string | number>;

export interface JsonEdit {
  readonly path: JsonPath;
  readonly value: unknown;
}

/** Paths that lead nowhere change nothing. None may lead into another. */
export function replacePlaces(object: JsonObject, edits: readonly JsonEdit[]): JsonObject {
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

/** What is wanted below a place: more places by their key or index, or the edit of this one. */
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

/** A copy of what lies on the path; the rest is shared. */
function withValue(whole: unknown, [step, ...rest]: JsonPath, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(whole)) {
    return whole.map((item, i) => (i === step ? withValue(item, rest, value) : item));
  }
  const fields = whole as Record<string, unknown>;
  return { ...fields, [step]: withValue(fields[step], rest, value) };
}

/** Goes over the bytes once, stepping over whatever has nothing wanted in it. */
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
    // Behind the colon.
    this.#at = skipSpace(this.#bytes, end) + 1;
    return key;
  }

  /** Steps over a value, whatever it is. */
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

/** Letters, digits and signs of numbers and words: all that is neither space nor punctuation. */
function isBare(byte: number | undefined): boolean {
  return byte !== undefined && byte > 32 && byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET;
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
