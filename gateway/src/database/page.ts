/**
 * Paging of lists. A page is read after a position in the order of the list, never by counting rows, so rows that are
 * added or removed meanwhile neither shift a page nor repeat a row. The position travels as an opaque cursor.
 */
import { sha256 } from '../kernel/digest.ts';
import { Problem } from '../kernel/problem.ts';
import { parseUnits } from '../kernel/units.ts';

/** The text that a client sends back to read the next page. */
export type Cursor = string;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next page; null on the last one. */
  readonly next: Cursor | null;
}

/** Which page of a list is read. */
export interface PageRequest {
  /** The cursor of the previous page; null: from the beginning. */
  readonly after: Cursor | null;
  readonly limit: number;
}

/** The filters of a list. One that is left out, undefined or null does not filter. */
export type Filters<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | null | undefined };

/** What a position consists of: text (an id or a name), a whole number (an id or a time in ms), an amount of units. */
const isPart = {
  text: (value: unknown) => typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX,
  whole: (value: unknown) => Number.isSafeInteger(value) && Math.abs(value as number) <= TIME_MS_MAX,
  units: (value: unknown) => typeof value === 'string' && isAmount(value),
};
type PartKind = keyof typeof isPart;
type PartOf<Kind extends PartKind> = Kind extends 'whole' ? number : string;
export type PositionOf<Kinds extends readonly PartKind[]> = {
  readonly [Index in keyof Kinds]: PartOf<Kinds[Index]>;
};

const TEXT_CHARACTERS_MAX = 1_000;
const CURSOR_CHARACTERS_MAX = 6_000;
/** The largest time of JavaScript, which the database can store too. */
const TIME_MS_MAX = 8_640_000_000_000_000;
const CHECKSUM_CHARACTERS = 8;

/**
 * One order of one list. Its name is part of the cursors, so that a cursor of another list or another order is
 * rejected. A cursor holds no space: with the cursor of another space a list continues after the same position in its
 * own rows.
 */
export class ListOrder<const Kinds extends readonly PartKind[]> {
  readonly #name: string;
  readonly #kinds: Kinds;
  readonly #param: string;

  /** `param`: the name of the parameter that cursors are sent in. */
  constructor(name: string, kinds: Kinds, param = 'cursor') {
    this.#name = name;
    this.#kinds = kinds;
    this.#param = param;
  }

  cursor(position: PositionOf<Kinds>): Cursor {
    const content = [this.#name, ...position];
    return Buffer.from(JSON.stringify([...content, checksum(content)])).toString('base64url');
  }

  /** Throws `invalid_parameter` for anything that `cursor` did not return. */
  position(cursor: Cursor | null): PositionOf<Kinds> | null {
    if (cursor === null) return null;
    const content = readContent(cursor);
    if (content === null) throw unreadable(this.#param);
    const [name, ...position] = content;
    if (name !== this.#name) throw otherOrder(this.#param);
    const fits = position.length === this.#kinds.length && position.every((part, i) => this.#fits(part, i));
    if (!fits) throw unreadable(this.#param);
    return position as unknown as PositionOf<Kinds>;
  }

  /** The page of rows that were read with a limit of one more, which tells whether there is a next page. */
  page<Row>(rows: readonly Row[], limit: number, positionOf: (row: Row) => PositionOf<Kinds>): Page<Row> {
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next = rows.length > limit && last !== undefined ? this.cursor(positionOf(last)) : null;
    return { rows: shown, next };
  }

  #fits(part: unknown, index: number): boolean {
    const kind = this.#kinds[index];
    return kind !== undefined && isPart[kind](part);
  }
}

/** Null unless the cursor is intact. */
function readContent(cursor: Cursor): unknown[] | null {
  if (cursor.length > CURSOR_CHARACTERS_MAX) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(value)) return null;
    const content = value.slice(0, -1);
    const intact = value.at(-1) === checksum(content) && isCanonical(cursor);
    return intact ? content : null;
  } catch {
    return null;
  }
}

/** Not a secret: it only shows that a cursor was cut or changed by accident. */
function checksum(content: readonly unknown[]): string {
  return sha256(JSON.stringify(content)).slice(0, CHECKSUM_CHARACTERS);
}

/** The decoder skips characters that are not base64url. */
function isCanonical(cursor: Cursor): boolean {
  return Buffer.from(cursor, 'base64url').toString('base64url') === cursor;
}

function isAmount(text: string): boolean {
  try {
    parseUnits(text);
    return true;
  } catch {
    return false;
  }
}

function unreadable(param: string): Problem {
  return new Problem('invalid_parameter', {
    detail:
      `${param} is not valid: it was cut or changed, or this list never returned it. Send the cursor of the previous ` +
      'page as it is, or leave it out to start from the beginning.',
    param,
  });
}

function otherOrder(param: string): Problem {
  return new Problem('invalid_parameter', {
    detail:
      `${param} is not valid: it belongs to another list or another order. Send the cursor of the previous page of this ` +
      'list with the same order, or leave it out to start from the beginning.',
    param,
  });
}
